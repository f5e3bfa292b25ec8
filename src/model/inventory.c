#include "model/device.h"

#include <string.h>

void el_inventory_free(struct el_inventory *inv)
{
    free(inv->cards);
    free(inv->slots);
    free(inv->namespaces);
    free(inv->links);
    free(inv->sensors);
    free(inv->named);
    memset(inv, 0, sizeof *inv);
}
