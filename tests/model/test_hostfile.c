/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../arena_test.h"
#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/text.h"
#include "assay/model/hostfile.h"

static const char *source_root;

static struct hostfile *parse(struct arena *arena, const char *text, struct error *err)
{
    return hostfile_parse(arena, "hosts", slice_of(text), err);
}

static void open_mpi_hostfile_works_as_it_is(void **state)
{
    struct error err = {0};
    struct hostfile *file = parse(*state,
                                  "# the cluster\n"
                                  "node0 slots=8\n"
                                  "\n"
                                  "node1 slots = 8 max_slots=16\t# spare fans\r\n"
                                  "ops@node2 max-slots=8#note\n"
                                  "node3",
                                  &err);

    assert_non_null(file);
    assert_int_equal(file->hosts.count, 4);
    assert_string_equal(file->hosts.items[0].name, "node0");
    assert_int_equal(file->hosts.items[0].slots, 8);
    assert_int_equal(file->hosts.items[1].slots, 8);
    assert_string_equal(file->hosts.items[2].name, "node2");
    assert_string_equal(file->hosts.items[2].user, "ops");
    assert_int_equal(file->hosts.items[2].slots, 0);
    assert_string_equal(file->hosts.items[3].name, "node3");
    assert_int_equal(file->hosts.items[3].line, 6);
}

static void racks_of_a_whole_site_are_counted_in_one_look(void **state)
{
    enum { HOSTS = 400000, A_RACK = 4 };
    const struct host **hosts = arena_array(*state, const struct host *, HOSTS);
    clock_t start = clock();

    for (size_t i = 0; i < HOSTS; i++) {
        struct host *host = arena_new(*state, struct host);

        host->rack = arena_printf(*state, "r%zu", i % (HOSTS / A_RACK));
        hosts[i] = host;
    }
    assert_int_equal(host_racks(hosts, HOSTS), HOSTS / A_RACK);
    assert_int_equal(host_racks_fewest(hosts, HOSTS), A_RACK);
    assert_int_equal(host_racks_fewest(hosts, HOSTS - 1), A_RACK - 1);
    assert_int_equal(host_racks(hosts, 1), 1);
    assert_int_equal(host_racks(hosts, 0), 0);
    assert_int_equal(host_racks_fewest(hosts, 0), 0);
    /* Each with each would take a quarter of an hour. */
    assert_true(clock() - start < 30 * CLOCKS_PER_SEC);
}

static void what_is_not_said_has_its_default(void **state)
{
    struct error err = {0};
    const struct host *host = &parse(*state, "  node0\n", &err)->hosts.items[0];

    assert_string_equal(host->address, "node0");
    assert_string_equal(host->mpi_address, "node0");
    assert_null(host->user);
    assert_null(host->identity);
    assert_null(host->jump);
    assert_null(host->known_hosts);
    assert_null(host->platform);
    assert_string_equal(host->unit, "");
    assert_string_equal(host->rack, "");
    assert_string_equal(host->leaf, "");
    assert_string_equal(host->transport, "auto");
    assert_int_equal(host->slots, 0);
    assert_int_equal(host->port, 0);
    assert_int_equal(host->role, ROLE_COMPUTE);
    assert_false(host->become_root);
    assert_true(host->timescale == 1);
    assert_int_equal(host->labels.count, 0);
    assert_int_equal(host->column, 3);
}

static void every_key_reaches_its_place(void **state)
{
    struct error err = {0};
    struct hostfile *file;
    const struct host *host;

    setenv("HOME", "/home/ops", 1);
    file = parse(
        *state,
        "gpu[001-128] slots=8 user=ops become=sudo port=2222 address=10.0.0.[1-128] "
        "mpi_address=gpu[001-128]-ib identity=~/.ssh/id_ed25519 jump=bastion platform=hgx-h100 unit=su1 "
        "rack=r1 leaf=l3 role=spare label.row=A label.note=\"two words\" transport=ssh "
        "known_hosts=/etc/k timescale=60 uplinks=/etc/u.csv switch_counters=/bin/c\n",
        &err);
    assert_non_null(file);
    assert_int_equal(file->hosts.count, 128);
    host = &file->hosts.items[127];
    assert_string_equal(host->name, "gpu128");
    assert_string_equal(host->address, "10.0.0.128");
    assert_string_equal(host->mpi_address, "gpu128-ib");
    assert_string_equal(host->user, "ops");
    assert_string_equal(host->identity, "/home/ops/.ssh/id_ed25519");
    assert_string_equal(host->jump, "bastion");
    assert_string_equal(host->known_hosts, "/etc/k");
    assert_string_equal(host->platform, "hgx-h100");
    assert_string_equal(host->unit, "su1");
    assert_string_equal(host->rack, "r1");
    assert_string_equal(host->leaf, "l3");
    assert_string_equal(host->transport, "ssh");
    assert_string_equal(host->uplinks, "/etc/u.csv");
    assert_string_equal(host->switch_counters, "/bin/c");
    assert_int_equal(host->slots, 8);
    assert_int_equal(host->port, 2222);
    assert_int_equal(host->role, ROLE_SPARE);
    assert_true(host->become_root);
    assert_true(host->timescale == 60);
    assert_int_equal(host->labels.count, 2);
    assert_string_equal(host->labels.items[0].key, "row");
    assert_string_equal(host->labels.items[1].value, "two words");
}

static void defaults_hold_for_the_lines_below(void **state)
{
    struct error err = {0};
    struct hostfile *file = parse(*state,
                                  "defaults user=ops slots=8 label.row=A\n"
                                  "n1\n"
                                  "n2 slots=4 label.row=B\n"
                                  "defaults slots=2 become=sudo\n"
                                  "n[3-4] become=none\n"
                                  "n5\n",
                                  &err);

    assert_non_null(file);
    assert_int_equal(file->hosts.count, 5);
    assert_int_equal(file->hosts.items[0].slots, 8);
    assert_string_equal(file->hosts.items[0].labels.items[0].value, "A");
    assert_int_equal(file->hosts.items[1].slots, 4);
    assert_int_equal(file->hosts.items[1].labels.count, 1);
    assert_string_equal(file->hosts.items[1].labels.items[0].value, "B");
    assert_string_equal(file->hosts.items[1].user, "ops");
    assert_int_equal(file->hosts.items[2].slots, 2);
    assert_false(file->hosts.items[3].become_root);
    assert_true(file->hosts.items[4].become_root);
    assert_string_equal(file->hosts.items[4].user, "ops");
}

static void a_report_line_names_the_cluster(void **state)
{
    struct error err = {0};
    struct hostfile *file = parse(*state,
                                  "report title=\"Iron [2]\" customer=Acme\n"
                                  "n1\n"
                                  "report site = \"Oslo, hall 2\"\n",
                                  &err);

    assert_non_null(file);
    assert_int_equal(file->hosts.count, 1);
    assert_string_equal(file->names.title, "Iron [2]");
    assert_string_equal(file->names.customer, "Acme");
    assert_string_equal(file->names.site, "Oslo, hall 2");
    file = parse(*state, "n1\n", &err);
    assert_null(file->names.title);
    assert_null(parse(*state, "n1\nreport slots=8\n", &err));
    assert_string_equal(err.text,
                        "hosts:2:8: found 'slots' in a report line; expected title=, customer= or site=");
    assert_null(parse(*state, "n1\nreport title=\"\"\n", &err));
    assert_null(parse(*state, "n1\nreport title=\"a\x1b[0m\"\n", &err));
}

static void lines_say_where_others_serve(void **state)
{
    struct error err = {0};
    struct hostfile *file = parse(*state,
                                  "defaults line.far=archive.example:5301 line.v6=fd00::1\n"
                                  "n[1-2] line.far=10.9.0.[1-2]:77\nn3\n",
                                  &err);
    const char *text[2][2] = {{"", ""}, {"", ""}};

    assert_non_null(file);
    for (size_t n = 0; n < 2; n++) {
        const struct host *host = &file->hosts.items[n + 1];

        assert_int_equal(host->lines.count, 2);
        list_each (line, host->lines) {
            cleanup_free char *end = host_line_text(line);

            text[n][strcmp(line->name, "v6") == 0] = arena_strdup(*state, end);
        }
    }
    assert_string_equal(text[0][0], "10.9.0.2:77");
    assert_string_equal(text[1][0], "archive.example:5301");
    assert_string_equal(text[0][1], "fd00::1");
    assert_string_equal(text[1][1], "fd00::1");
}

static void rails_say_where_cables_end(void **state)
{
    struct error err = {0};
    struct hostfile *file = parse(*state,
                                  "defaults rail.mlx5_0=leaf1 rail.mlx5_1=leaf2\n"
                                  "n[1-2] rail.mlx5_1=leaf9:[11-12]\n"
                                  "n3 rail.mlx5_2=0x9c63c00300d1e2f0:Ethernet1/12:1\n",
                                  &err);
    const struct host *host;

    assert_non_null(file);
    host = &file->hosts.items[1];
    assert_int_equal(host->rails.count, 2);
    assert_string_equal(host->rails.items[0].hca, "mlx5_0");
    assert_string_equal(host->rails.items[0].switch_name, "leaf1");
    assert_string_equal(host->rails.items[0].port, "");
    assert_string_equal(host->rails.items[1].hca, "mlx5_1");
    assert_string_equal(host->rails.items[1].switch_name, "leaf9");
    assert_string_equal(host->rails.items[1].port, "12");
    assert_int_equal(host->rails.items[1].line, 2);
    assert_int_equal(host->rails.items[1].column, 8);
    host = &file->hosts.items[2];
    assert_int_equal(host->rails.count, 3);
    assert_string_equal(host->rails.items[2].switch_name, "0x9c63c00300d1e2f0");
    assert_string_equal(host->rails.items[2].port, "Ethernet1/12:1");
    assert_int_equal(host->labels.count, 0);
}

static void one_address_may_serve_several_ports(void **state)
{
    struct error err = {0};
    struct hostfile *file = parse(*state, "n[1-3] address=127.0.0.1 port=[2201-2203]\n", &err);

    assert_non_null(file);
    assert_int_equal(file->hosts.items[2].port, 2203);
}

#define KEYS                                                                                                  \
    "the keys are slots, max_slots, max-slots, user, become, port, address, mpi_address, identity, "          \
    "known_hosts, jump, platform, unit, rack, leaf, fabric, mounts, object_store, uplinks, switch_counters, " \
    "probe, bmc, role, scheduler, use, transport, "                                                           \
    "timescale, "                                                                                             \
    "label.NAME, "                                                                                            \
    "rail.HCA, line.NAME"

static void all_that_is_wrong_is_told_at_once(void **state)
{
    struct error err = {0};
    struct text many = {0};

    assert_null(parse(*state,
                      "defaults user=ops port=99999\n"
                      "gpu[1-3] address=10.0.0.[1-2] slots=many\n"
                      "gpu4 colour=\"dark red\" rack=r1 rack=r2\n"
                      "gpu5\n"
                      "gpu5\n"
                      "report titel=x title=A\n"
                      "gpu6 size=5\n"
                      "gpu7 slost=8\n",
                      &err));
    assert_int_equal(err.code, ERROR_USAGE);
    assert_int_equal(err.count, 9);
    assert_string_equal(err.text, "hosts:1:24: port is '99999'; expected a whole number from 1 to 65535");
    assert_string_equal(
        err.more, "hosts:2:18: a range of 2 values for 3 hosts; expected as many, or one value for all\n"
                  "hosts:2:37: slots is 'many'; expected a whole number from 1 to 4096\n"
                  "hosts:3:6: unknown key 'colour'; " KEYS "\n"
                  "hosts:3:32: key 'rack' appears twice in this line\n"
                  "hosts:6:8: found 'titel' in a report line; expected title=, customer= or "
                  "site=\n"
                  "hosts:7:6: unknown key 'size'\n"
                  "hosts:8:6: unknown key 'slost'; did you mean 'slots'?\n"
                  "hosts:5:1: host 'gpu5' appears twice; first on line 4");

    text_init(&many, 4096);
    for (int i = 1; i <= 54; i++)
        text_printf(&many, "n%d port=x\n", i);
    assert_null(parse(*state, many.bytes, &err));
    assert_int_equal(err.count, 54);
    assert_string_equal(strrchr(err.more, '\n'), "\nand 34 more errors");
    assert_non_null(strstr(err.more, "hosts:20:10: port is 'x'"));
    assert_null(strstr(err.more, "hosts:21:"));
    text_release(&many);
}

static void what_other_tools_write_is_read_or_told(void **state)
{
    struct error err = {0};
    const struct hostfile *file = parse(*state, "node[1-4,7],login slots=8\n", &err);

    assert_non_null(file);
    assert_int_equal(file->hosts.count, 6);
    assert_string_equal(file->hosts.items[4].name, "node7");
    assert_string_equal(file->hosts.items[5].name, "login");
    assert_non_null(parse(*state, "[1-4]\n", &err));
    file = parse(*state, "\xef\xbb\xbfn1\n", &err);
    assert_non_null(file);
    assert_string_equal(file->hosts.items[0].name, "n1");
    assert_null(parse(*state, "[gpus]\ngpu1 ansible_host=10.0.0.1\n", &err));
    assert_string_equal(err.text,
                        "hosts:1:1: '[gpus]' begins a group of an Ansible inventory; expected a host, "
                        "such as gpu1 address=10.0.0.1 user=ops (ansible_host, ansible_user)");
    assert_string_equal(err.more, "hosts:2:6: unknown key 'ansible_host'; did you mean 'address'? " KEYS);
}

static void wrong_files_are_told_by_line_and_column(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "hosts:1:1: no host in this file; expected a line for each"},
        {"# nothing\n\n", "hosts:2:1: no host in this file; expected a line for each"},
        {"defaults slots=8\n", "hosts:1:1: no host in this file; expected a line for each"},
        {"n1\nn2 slot=8\n", "hosts:2:4: unknown key 'slot'; did you mean 'slots'? " KEYS},
        {"n1 colour=red\n", "hosts:1:4: unknown key 'colour'; " KEYS},
        {"n1 label.=x\n", "hosts:1:4: unknown key 'label.'; " KEYS},
        {"n1 slots\n", "hosts:1:4: found 'slots'; expected KEY=VALUE"},
        {"n1 n2\n", "hosts:1:4: found 'n2'; expected KEY=VALUE"},
        {"n1 slots=\n", "hosts:1:4: 'slots=' has no value"},
        {"n1 slots=8 slots=4\n", "hosts:1:12: key 'slots' appears twice in this line"},
        {"n1 label.a=1 label.a=2\n", "hosts:1:14: key 'label.a' appears twice in this line"},
        {"a@n1 user=b\n", "hosts:1:6: key 'user' appears twice in this line"},
        {"n1 slots=8x\n", "hosts:1:10: slots is '8x'; expected a whole number from 1 to 4096"},
        {"n1 slots=0\n", "hosts:1:10: slots is '0'; expected a whole number from 1 to 4096"},
        {"n1 slots=-1\n", "hosts:1:10: slots is '-1'; expected a whole number from 1 to 4096"},
        {"n1 max_slots=x\n", "hosts:1:14: max_slots is 'x'; expected a whole number from 1 to 4096"},
        {"n1 port=65536\n", "hosts:1:9: port is '65536'; expected a whole number from 1 to 65535"},
        {"n1 role=sparse\n", "hosts:1:9: role is 'sparse'; expected compute or spare"},
        {"n1 become=root\n", "hosts:1:11: become is 'root'; expected sudo or none"},
        {"n1 transport=rsh\n", "hosts:1:14: transport is 'rsh'; expected auto, ssh, openssh, local or slurm"},
        {"n1 timescale=0.5\n", "hosts:1:14: timescale is '0.5'; expected a number from 1 to 100000"},
        {"n1 address=10.0.0.999\n",
         "hosts:1:12: address is '10.0.0.999'; expected an IPv4 address, four numbers from 0 to 255"},
        {"10.0.0.999\n",
         "hosts:1:1: '10.0.0.999' is not an IPv4 address; expected four numbers from 0 to 255"},
        {"\n# made by hand\nall:\n  hosts:\n    n1:\n      ansible_host: 10.0.0.1\n",
         "hosts:3:1: 'all:' begins YAML; expected a line for each host, such as gpu1 address=10.0.0.1 "
         "user=ops; of an inventory of Ansible: ansible-inventory --list tells its hosts"},
        {"n1 timescale=nan\n", "hosts:1:14: timescale is 'nan'; expected a number from 1 to 100000"},
        {"n1 address=-oProxyCommand=x\n",
         "hosts:1:12: address is '-oProxyCommand=x'; expected a host name or an IP address"},
        {"n1 user=-x\n", "hosts:1:9: user is '-x'; expected a user name"},
        {"n1 jump=a;b\n", "hosts:1:9: jump is 'a;b'; expected [user@]host[:port], several with ',' between"},
        {"n1 uplinks=uplinks.csv\n", "hosts:1:12: uplinks is 'uplinks.csv'; expected " HOST_FILE_FORM},
        {"n1 switch_counters=/bin/x;y\n",
         "hosts:1:20: switch_counters is '/bin/x;y'; expected " HOST_FILE_FORM},
        {"n1 identity=~bob/key\n",
         "hosts:1:13: identity is '~bob/key'; expected a file; of '~' only '~/' is known"},
        {"n1 rack=\"r1\n", "hosts:1:9: this '\"' has no closing one"},
        {"-n1\n", "hosts:1:1: '-n1' is not a host name; expected letters, digits and '.', '-', '_', ':'"},
        {"+n0\n", "hosts:1:1: '+n0' is not a host name; expected letters, digits and '.', '-', '_', ':'"},
        {"n1;x\n", "hosts:1:1: 'n1;x' is not a host name; expected letters, digits and '.', '-', '_', ':'"},
        {"n1\nn2\n  n1\n", "hosts:3:3: host 'n1' appears twice; first on line 1"},
        {"n[1-3]\nn3\n", "hosts:2:1: host 'n3' appears twice; first on line 1"},
        {"a address=10.0.0.1\nb address=10.0.0.1\n",
         "hosts:2:1: address 10.0.0.1 port 22 of host 'b' is already that of 'a' on line 1"},
        {"a address=10.0.0.1 port=22\nb address=10.0.0.1\n",
         "hosts:2:1: address 10.0.0.1 port 22 of host 'b' is already that of 'a' on line 1"},
        {"n[1-2] address=10.0.0.1\n",
         "hosts:1:1: address 10.0.0.1 port 22 of host 'n2' is already that of 'n1' on line 1"},
        {"n[1-4] address=10.0.0.[1-3]\n",
         "hosts:1:16: a range of 3 values for 4 hosts; expected as many, or one value for all"},
        {"n1 rack=r[1-2]\n",
         "hosts:1:9: a range of 2 values for 1 host; expected as many, or one value for all"},
        {"n[4-1]\n", "hosts:1:3: range '4-1' runs backwards"},
        {"n1 address=10.0.0.[x]\n", "hosts:1:20: 'x' in a range; expected a number or NUMBER-NUMBER"},
        {"n1 jump=[::1]:22\n", "hosts:1:10: '::1' in a range; expected a number or NUMBER-NUMBER"},
        {"defaults address=x\nn1\n", "hosts:1:10: key 'address' in a defaults line; each host has its own"},
        {"defaults rack=r[1-2]\nn1\n",
         "hosts:1:15: a range of 2 values in a defaults line; expected one value"},
        {"defaults port=x\n", "hosts:1:15: port is 'x'; expected a whole number from 1 to 65535"},
        {"defaults slost=8\nn1\n", "hosts:1:10: unknown key 'slost'; did you mean 'slots'? " KEYS},
        {"n1 line.far=archive.example:0\n",
         "hosts:1:13: line.far is 'archive.example:0'; expected ADDRESS or ADDRESS:PORT, such as "
         "archive.example:5201; an IPv6 address alone"},
        {"n1 line.far=-x\n", "hosts:1:13: line.far is '-x'; expected ADDRESS or ADDRESS:PORT, such as "
                             "archive.example:5201; an IPv6 address alone"},
        {"n1 rail.mlx5_0=leaf1:\n",
         "hosts:1:16: rail.mlx5_0 is 'leaf1:'; expected SWITCH or SWITCH:PORT, such as leaf3:12"},
        {"n1 rail.mlx5_0=:12\n",
         "hosts:1:16: rail.mlx5_0 is ':12'; expected SWITCH or SWITCH:PORT, such as leaf3:12"},
        {"n1 rail.mlx5_0=\"leaf 1\"\n",
         "hosts:1:16: rail.mlx5_0 is 'leaf 1'; expected SWITCH or SWITCH:PORT, such as leaf3:12"},
        {"n1 rail.mlx5_0=a rail.mlx5_0=b\n", "hosts:1:18: key 'rail.mlx5_0' appears twice in this line"},
        {"n1 label.a=1 label.a=2\n", "hosts:1:14: key 'label.a' appears twice in this line"},
        {"n1 rail.=leaf1\n", "hosts:1:4: unknown key 'rail.'; " KEYS},
        {"n[1-2] rail.mlx5_0=leaf1:[1-3]\n",
         "hosts:1:20: a range of 3 values for 2 hosts; expected as many, or one value for all"},
        {"a rail.mlx5_0=leaf1:7\nb rail.mlx5_3=leaf1:7\n",
         "hosts:2:3: port 7 of leaf1 is for mlx5_3 of host 'b', and already for mlx5_0 of 'a' on line 1"},
        {"a rail.mlx5_0=leaf1:7 rail.mlx5_1=leaf1:7\n",
         "hosts:1:23: port 7 of leaf1 is for mlx5_1 of host 'a', and already for mlx5_0 of 'a' on line 1"},
        {"defaults rail.mlx5_0=leaf1:7\na\nb\n",
         "hosts:1:10: port 7 of leaf1 is for mlx5_0 of host 'b', and already for mlx5_0 of 'a' on line 1"},
        {"n1 rack=\x01\n", "hosts:1:9: a word with a control byte or with bytes that are not UTF-8"},
        {"n1 rack=\xFF\n", "hosts:1:9: a word with a control byte or with bytes that are not UTF-8"},
        {"n1 rack=\xC3\xA9 slots=x\n", "hosts:1:17: slots is 'x'; expected a whole number from 1 to 4096"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};

        assert_null(parse(*state, cases[i].text, &err));
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(err.code, ERROR_USAGE);
    }
}

static void nul_bytes_are_refused(void **state)
{
    struct error err = {0};

    assert_null(hostfile_parse(*state, "hosts", (struct slice){"n1\nn\0002\n", 7}, &err));
    assert_string_equal(err.text, "hosts:2:1: this line holds a NUL byte; expected text");
}

static void a_program_is_refused_once(void **state)
{
    struct error err = {0};

    assert_null(hostfile_parse(*state, "hosts", (struct slice){"\177ELF\0\1\n\0\n\0\n", 11}, &err));
    assert_string_equal(err.text, "hosts:1:1: this line holds a NUL byte; expected text");
    assert_string_equal(err.more, "");
}

static void missing_file_is_named(void **state)
{
    struct error err = {0};

    assert_null(hostfile_load(*state, "/nonexistent/hosts", &err));
    assert_string_equal(err.text, "/nonexistent/hosts: No such file or directory");
}

static void every_example_loads(void **state)
{
    const char *folder = arena_printf(*state, "%s/hostfiles", source_root);
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    size_t count = 0;

    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        struct error err = {0};

        if (!slice_ends(slice_of(entry->d_name), ".example"))
            continue;
        if (hostfile_load(*state, arena_printf(*state, "%s/%s", folder, entry->d_name), &err) == NULL)
            fail_msg("%s", err.text);
        count++;
    }
    closedir(directory);
    assert_true(count >= 3);
}

/* The list of keys in a refusal is made from the rows themselves. */
static void the_manual_explains_every_key(void **state)
{
    const char *path = arena_printf(*state, "%s/hostfiles/README.md", source_root);
    cleanup_text struct text manual = {0};
    struct error err = {0};
    char *rest, *key;

    text_init(&manual, 1 << 20);
    assert_int_equal(file_read(path, &manual, &err), 0);
    assert_null(parse(*state, "n1 no_key=x\n", &err));
    rest = strstr(err.text, "the keys are ");
    assert_non_null(rest);
    for (rest += strlen("the keys are "); (key = strsep(&rest, ", ")) != NULL;)
        if (*key != '\0' && strstr(manual.bytes, arena_printf(*state, "`%s`", key)) == NULL)
            fail_msg("hostfiles/README.md does not explain `%s`", key);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(open_mpi_hostfile_works_as_it_is),
        ARENA_TEST(racks_of_a_whole_site_are_counted_in_one_look),
        ARENA_TEST(what_is_not_said_has_its_default),
        ARENA_TEST(every_key_reaches_its_place),
        ARENA_TEST(defaults_hold_for_the_lines_below),
        ARENA_TEST(a_report_line_names_the_cluster),
        ARENA_TEST(lines_say_where_others_serve),
        ARENA_TEST(rails_say_where_cables_end),
        ARENA_TEST(one_address_may_serve_several_ports),
        ARENA_TEST(wrong_files_are_told_by_line_and_column),
        ARENA_TEST(all_that_is_wrong_is_told_at_once),
        ARENA_TEST(what_other_tools_write_is_read_or_told),
        ARENA_TEST(nul_bytes_are_refused),
        ARENA_TEST(a_program_is_refused_once),
        ARENA_TEST(missing_file_is_named),
        ARENA_TEST(the_manual_explains_every_key),
        ARENA_TEST(every_example_loads),
    };

    source_root = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests_name("hostfile", tests, NULL, NULL);
}
