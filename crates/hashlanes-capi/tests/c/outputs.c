// Compares outputs of any length with those of a vector file: each by itself, then with its message
// between other messages.

#include "check.h"

static const char *const names[] = {
    "shake128", "shake256", "turboshake128", "turboshake256", "kt128", "kt256", "blake3",
};

static unsigned char from_hex(const char *hex)
{
    unsigned byte;
    CHECK(sscanf(hex, "%2x", &byte) == 1);
    return byte;
}

// Reads ",PARAMETER=VALUE" and sets the parameter. The value's bytes go to `bytes`.
static const char *read_parameter(const char *text, hashlanes_xof_params *params,
                                  unsigned char bytes[300])
{
    char name[32];
    int length = 0;
    size_t count = 0;
    CHECK(sscanf(text, ",%31[a-z_]=%n", name, &length) == 1 && length > 0);
    for (text += length; *text && *text != ','; text += 2)
        bytes[count++] = from_hex(text);
    CHECK(count < 300);
    if (strcmp(name, "key") == 0) {
        params->key = bytes;
        params->key_length = count;
    } else if (strcmp(name, "customization") == 0) {
        params->customization = bytes;
        params->customization_length = count;
    } else if (strcmp(name, "function_name") == 0) {
        params->function_name = bytes;
        params->function_name_length = count;
    } else {
        CHECK(strcmp(name, "domain") == 0 && count == 1);
        params->domain = bytes[0];
    }
    return text;
}

int main(int argc, char **argv)
{
    enum { MOST = 200, MANY = 20 };
    static unsigned char bytes[100000], values[4][300], outputs[MANY * MOST];
    char name[1024], hex[1024], text[2048];
    size_t length, lines = 0;
    CHECK(argc == 2);
    FILE *file = fopen(argv[1], "r");
    CHECK(file);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = i % 251;
    while (fgets(text, sizeof text, file)) {
        if (text[0] == '#')
            continue;
        CHECK(sscanf(text, "%1023s %zu %1023s", name, &length, hex) == 3 && length <= sizeof bytes);
        const char *rest = name + strcspn(name, ",");
        hashlanes_xof xof = 0;
        for (hashlanes_xof i = 0; i < sizeof names / sizeof *names; i++)
            if (strlen(names[i]) == (size_t)(rest - name) &&
                strncmp(names[i], name, rest - name) == 0)
                xof = i + 1;
        CHECK(xof);
        hashlanes_xof_params params = {0};
        for (int i = 0; *rest; i++) {
            CHECK(i < 4);
            rest = read_parameter(rest, &params, values[i]);
        }
        size_t size = strlen(hex) / 2;
        CHECK(size == MOST);
        const void *messages[MANY];
        size_t lengths[MANY];
        for (size_t i = 0; i < MANY; i++) {
            messages[i] = bytes;
            lengths[i] = i % 3 ? length : 700 * i;
        }
        OK(hashlanes_xof_many(xof, &params, messages + 1, lengths + 1, 1, outputs, MOST, MOST));
        OK(hashlanes_xof_many(xof, &params, messages + 1, lengths + 1, 1, outputs + MOST, 20, 20));
        CHECK(memcmp(outputs, outputs + MOST, 20) == 0);
        for (size_t i = 0; i < size; i++)
            CHECK(outputs[i] == from_hex(hex + 2 * i));
        OK(hashlanes_xof_many(xof, &params, messages, lengths, MANY, outputs, MOST,
                              sizeof outputs));
        for (size_t i = 0; i < MANY * size; i++)
            CHECK(i / size % 3 == 0 || outputs[i] == from_hex(hex + 2 * (i % size)));
        lines++;
    }
    fclose(file);
    printf("%zu lines\n", lines);
    return 0;
}
