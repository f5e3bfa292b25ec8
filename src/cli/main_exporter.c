#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argc;
    printf("%s " EL_VERSION "\n", argv[0]);
    return 0;
}
