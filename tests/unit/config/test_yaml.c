#include "config/yaml.h"
#include "support/unit.h"

static struct el_config_error err;

static int parse(const char *text, struct el_yaml **out)
{
    err.text[0] = 0;
    return el_yaml_parse("f.yaml", text, strlen(text), out, &err);
}

static void refuses(const char *text, const char *message)
{
    struct el_yaml *y = NULL;

    assert_int_equal(parse(text, &y), -EINVAL);
    assert_null(y);
    if (!strstr(err.text, message))
        fail_msg("got: %s, expected to contain: %s", err.text, message);
}

static void tree_with_lines(void **state)
{
    EL_AUTO_YAML struct el_yaml *y = NULL;
    const struct el_yaml *cards;
    double v = 0;
    bool on = false;
    uint64_t u = 0;

    assert_int_equal(parse("a: 1\nb: {c: true}\ncards:\n  - limit: 75.5\n  - limit: x\n", &y), 0);
    assert_int_equal(el_yaml_u64(el_yaml_get(y, "a"), 0, 5, &u, &err), 0);
    assert_int_equal(u, 1);
    assert_int_equal(el_yaml_bool(el_yaml_get(el_yaml_get(y, "b"), "c"), &on, &err), 0);
    assert_true(on);
    cards = el_yaml_get(y, "cards");
    assert_int_equal(cards->n, 2);
    assert_int_equal(el_yaml_double(el_yaml_get(cards->child[0], "limit"), 0, 100, &v, &err), 0);
    assert_true(v == 75.5);
    assert_int_equal(el_yaml_double(el_yaml_get(cards->child[1], "limit"), 0, 100, &v, &err), -EINVAL);
    assert_string_equal(err.text, "f.yaml:5: cards[1].limit: got \"x\", expected a number from 0 to 100");
    assert_null(el_yaml_get(y, "none"));
}

static void empty_is_an_empty_map(void **state)
{
    static const char *const texts[] = {"", "# only a comment\n", "---\n"};

    for (size_t i = 0; i < 3; i++) {
        EL_AUTO_YAML struct el_yaml *y = NULL;

        assert_int_equal(parse(texts[i], &y), 0);
        assert_int_equal(y->n, 0);
    }
}

static void bad_documents(void **state)
{
    refuses("a: 1\nb: 2\na: 3\n", "f.yaml:3: a: given twice (first on line 1)");
    refuses("- 1\n- 2\n", "f.yaml:1: expected `key: value`");
    refuses("just words\n", "f.yaml:1: expected `key: value`");
    refuses("a: &x 1\nb: *x\n", "f.yaml:2: aliases");
    refuses("a: [1, 2\nb: 3\n", "not valid YAML");
    refuses("a: 1\n---\nb: 2\n", "f.yaml:2: a second document");
    refuses("a:\n\t- b\n", "f.yaml:2");
    refuses("a: \"x\\0y\"\n", "NUL byte");
    refuses("a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", "nested too deeply");
    refuses("[a]: 1\n", "a key must be");
}

static void typed_and_bounded(void **state)
{
    static const char *const names[] = {"observe", "advise", "enforce"};
    static const char *const keys[] = {"mode", "n", NULL};
    EL_AUTO_YAML struct el_yaml *y = NULL;
    unsigned mode = 9;
    uint64_t u = 7;
    char text[4] = "abc";

    assert_int_equal(parse("mode: fast\nn: 12\nother: longer\n", &y), 0);
    assert_int_equal(el_yaml_enum(el_yaml_get(y, "mode"), names, 3, &mode, &err), -EINVAL);
    assert_string_equal(err.text, "f.yaml:1: mode: got \"fast\", expected observe, advise or enforce");
    assert_int_equal(mode, 9);
    assert_int_equal(el_yaml_u64(el_yaml_get(y, "n"), 0, 5, &u, &err), -EINVAL);
    assert_string_equal(err.text, "f.yaml:2: n: got \"12\", expected a whole number from 0 to 5");
    assert_int_equal(u, 7);
    assert_int_equal(el_yaml_text(el_yaml_get(y, "other"), text, sizeof text, &err), -EINVAL);
    assert_string_equal(text, "abc");
    assert_int_equal(el_yaml_known_keys(y, keys, &err), -EINVAL);
    assert_string_equal(err.text, "f.yaml:3: other: unknown key, expected one of: mode, n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_with_lines),
        cmocka_unit_test(empty_is_an_empty_map),
        cmocka_unit_test(bad_documents),
        cmocka_unit_test(typed_and_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
