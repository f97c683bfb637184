// The header alone, first and twice, as C.
#include <hashlanes.h>
#include <hashlanes.h>

int main(void)
{
    return hashlanes_algorithm_count() == 0;
}
