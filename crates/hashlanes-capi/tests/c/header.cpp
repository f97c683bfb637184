// Includes the header twice, with nothing before it, as C++.
#include <hashlanes.h>
#include <hashlanes.h>

int main()
{
    hashlanes_done done{};
    hashlanes_server_options options{};
    return hashlanes_algorithm_count() == 0 || done.kind != HASHLANES_NOTHING || options.memory;
}
