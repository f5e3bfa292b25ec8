/* Cards keep their numbers by the serials of their drives. */
#include "control/card_numbers.h"
#include "support/unit.h"

/* "address serial serial; address serial": "-" is a slot without a serial, "-nvme3" one with that controller. */
static struct el_inventory machine(const char *text)
{
    struct el_inventory inv = {.cards = calloc(16, sizeof *inv.cards), .slots = calloc(64, sizeof *inv.slots)};
    char copy[512], *card, *word, *outer, *inner;

    snprintf(copy, sizeof copy, "%s", text);
    for (card = strtok_r(copy, ";", &outer); card; card = strtok_r(NULL, ";", &outer)) {
        struct el_card *c = &inv.cards[inv.n.cards++];

        c->number = inv.n.cards - 1;
        c->first_slot = inv.n.slots;
        word = strtok_r(card, " ", &inner);
        snprintf(c->address, sizeof c->address, "%s", strcmp(word, "none") ? word : "");
        while ((word = strtok_r(NULL, " ", &inner))) {
            struct el_slot *s = &inv.slots[inv.n.slots++];

            snprintf(s->identify.serial, 61, "%s", word[0] == '-' ? "" : word);
            snprintf(s->controller, sizeof s->controller, "%s", word[0] == '-' && word[1] ? word + 1 : "");
            s->number = c->slots++;
        }
    }
    return inv;
}

/* The numbers that a machine's cards get, as digits; checks that names follow and that `changed` is what apply said. */
static void expect(struct el_card_numbers *n, const char *text, const char *numbers, int changed)
{
    struct el_inventory inv = machine(text);
    char got[64] = "", name[32];

    assert_int_equal(el_card_numbers_apply(n, &inv), changed);
    for (uint32_t i = 0; i < inv.n.cards; i++) {
        snprintf(got + strlen(got), sizeof got - strlen(got), "%u", inv.cards[i].number);
        snprintf(name, sizeof name, "card%u", inv.cards[i].number);
        assert_string_equal(inv.cards[i].name, name);
    }
    assert_string_equal(got, numbers);
    el_inventory_free(&inv);
}

static void numbers_follow_serials(void **state)
{
    struct el_card_numbers *n = el_card_numbers_new();

    expect(n, "a A1 A2 -;b B1;c C1", "012", 1);
    expect(n, "a A1 A2 -;b B1;c C1", "012", 0);
    expect(n, "b B1;c C1", "12", 0);       /* the first went: the others keep theirs */
    expect(n, "b C1;d B1;e D1", "213", 1); /* moved about; a new one beside */
    expect(n, "x A1 A2 A3;b C1", "02", 1); /* back, elsewhere, with one drive more */
    expect(n, "x A9 A2 A1;b A3", "02", 1); /* a drive went over: the card keeps the more, the slot its address */
    expect(n, "x - - -;b -", "02", 0);     /* nothing tells but the address */
    expect(n, "none -nvme3;none -nvme4", "45",
           1); /* a fabric that tells nothing at all: not a new number at each look */
    expect(n, "none -nvme3;none -nvme4", "45", 0);
    el_card_numbers_free(n);
}

static void equal_serials_stay_apart(void **state)
{
    struct el_card_numbers *n = el_card_numbers_new();

    expect(n, "a VB1;b VB1;c VB1", "012", 1);
    expect(n, "c VB1;a VB1;b VB1", "201", 0);
    expect(n, "c VB1", "2", 0);
    el_card_numbers_free(n);
}

static void what_is_saved_is_read(void **state)
{
    struct el_card_numbers *n = el_card_numbers_new(), *again = el_card_numbers_new();
    struct el_buf text = {0};

    expect(n, "a A1 A2;0000:41:00.0 B1;c -", "012", 1);
    expect(n, "a A1 A=3;0000:41:00.0 - B1;c -", "012", 1);
    el_card_numbers_save(n, &text);
    assert_string_equal(text.data, "elementd-cards 1\n0\ta\t0=A1\t1=A=3\tA2\n1\t0000:41:00.0\t1=B1\n2\tc\n");
    assert_int_equal(el_card_numbers_load(again, text.data), 0);
    expect(again, "0000:01:00.0 B1;c -;0000:02:00.0 A2", "120", 1);
    el_buf_free(&text);
    el_card_numbers_free(n);
    el_card_numbers_free(again);
}

/* Slots of the first card that count as swapped, as digits. */
static void expect_swaps(struct el_card_numbers *n, const char *text, const char *swaps)
{
    struct el_inventory inv = machine(text);
    char got[16] = "";

    assert_true(el_card_numbers_apply(n, &inv) >= 0);
    for (uint32_t i = 0; i < inv.cards->slots; i++)
        if (inv.slots[i].replaced)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%u", i);
    assert_string_equal(got, swaps);
    el_inventory_free(&inv);
}

static void swaps_are_noticed(void **state)
{
    struct el_card_numbers *n = el_card_numbers_new();

    assert_int_equal(el_card_numbers_load(n, "elementd-cards 1\n0\ta\tA1\tA2\n"), 0); /* of before slots were kept */
    expect_swaps(n, "a A1 A3 -", "");
    expect_swaps(n, "a A1 A4 A5", "1");
    expect_swaps(n, "a A1 A4 A5", "");
    expect_swaps(n, "a A1 - A6", "2");  /* an empty slot is nobody's swap ... */
    expect_swaps(n, "a A1 A7 A6", "1"); /* ... until another drive is in it */
    expect_swaps(n, "a A1 A4 A6", "1"); /* the former one came back */
    expect_swaps(n, "a A6 A1 A4", "");  /* all there, elsewhere */
    expect_swaps(n, "a A1 A4 A8", "");  /* one less before them: all moved up, and one is new */
    expect_swaps(n, "a A9 A4 A8;b A1", "");
    expect_swaps(n, "a A9 A4 A8;b B1", "");
    el_card_numbers_free(n);
}

static void nonsense_is_refused_whole(void **state)
{
    static const char *const bad[] = {"",
                                      "elementd-cards 2\n",
                                      "elementd-cards 1\n0",
                                      "elementd-cards 1\n0\ta",
                                      "elementd-cards 1\n\n",
                                      "elementd-cards 1\nx\ta\n",
                                      "elementd-cards 1\n-1\ta\n",
                                      "elementd-cards 1\n4294967295\ta\n",
                                      "elementd-cards 1\n0\ta\n0\tb\n",
                                      "elementd-cards 1\n0\n"};
    struct el_card_numbers *n = el_card_numbers_new();

    expect(n, "a A1", "0", 1);
    for (size_t i = 0; i < EL_ARRAY_SIZE(bad); i++)
        assert_int_equal(el_card_numbers_load(n, bad[i]), -EBADMSG);
    expect(n, "a A1", "0", 0);
    el_card_numbers_free(n);
}

static void many_strangers_do_not_fill_it(void **state)
{
    struct el_card_numbers *n = el_card_numbers_new();

    for (int i = 0; i < 1200; i++) {
        char text[64];

        snprintf(text, sizeof text, "p%d S%d", i, i);
        struct el_inventory inv = machine(text);
        assert_int_equal(el_card_numbers_apply(n, &inv), 1);
        assert_true(inv.cards->number <= 1024);
        el_inventory_free(&inv);
    }
    el_card_numbers_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_serials),    cmocka_unit_test(equal_serials_stay_apart),
        cmocka_unit_test(what_is_saved_is_read),     cmocka_unit_test(swaps_are_noticed),
        cmocka_unit_test(nonsense_is_refused_whole), cmocka_unit_test(many_strangers_do_not_fill_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
