// Includes the header twice, with nothing before it, as C.
#include <hashlanes.h>
#include <hashlanes.h>

int main(void)
{
    return hashlanes_algorithm_count() == 0;
}
