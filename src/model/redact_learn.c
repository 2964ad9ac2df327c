/* SPDX-License-Identifier: Apache-2.0 */
/* Where in running text only a name can stand: behind which words, and in which forms. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "assay/model/hostfile.h"
#include "redact_private.h"

enum { LONGEST = 64, MOST_HOSTS = 4096, NEAR = 80 };

static int byte_at(const struct pass *pass, size_t at)
{
    return at < pass->in.length ? (unsigned char)pass->in.bytes[at] : '\0';
}

static bool is_alnum(int c)
{
    return c < 0x80 && isalnum(c);
}

static bool is_name_byte(int c)
{
    return is_alnum(c) || c == '-' || c == '_';
}

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

static bool is_one_of(int c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static size_t name_end(const struct pass *pass, size_t at)
{
    size_t end = at;

    while (is_name_byte(byte_at(pass, end)) ||
           (end > at && byte_at(pass, end) == '.' && is_alnum(byte_at(pass, end + 1))))
        end++;
    return end;
}

/* Letters with a digit or hyphen, or dots: no word of a language. */
static bool is_like_no_word(const char *name)
{
    bool letter = false, other = false;

    for (const char *c = name; *c != '\0'; c++) {
        letter |= isalpha((unsigned char)*c) != 0;
        other |= isdigit((unsigned char)*c) || *c == '-' || *c == '.';
    }
    return letter && other && strlen(name) >= 4;
}

static bool is_name(const char *name, size_t length)
{
    return length > 0 && length <= LONGEST && strspn(name, "0123456789.-_") < length &&
           strncasecmp(name, "anon-", 5) != 0;
}

static void know(struct redactor *redactor, const char *name, enum redact_kind kind)
{
    size_t label = strcspn(name, ".");
    bool whole = kind != REDACT_HOST || name[label] != '.';

    if (whole && redact_is_common(name, strlen(name)))
        return;
    if (kind == REDACT_USER)
        redactor_know_user(redactor, name);
    else if (kind == REDACT_NAME)
        redact_know_name(redactor, name);
    else if (whole || !redact_is_common(name, label))
        redactor_know_host(redactor, name);
    else
        redactor_know_domain(redactor, name + label + 1);
}

/* A host of those whose documents everybody reads. */
static bool is_public_host(const char *name)
{
    return strchr(name, '.') != NULL && redact_is_public(name);
}

static bool is_system_truncated(const struct pass *pass, const char *name, size_t end)
{
    static const char *const began[] = {"systemd", "message", "nvidia-", "polkit",
                                        "prometh", "_chrony", "node_ex", "kube"};

    for (size_t i = 0; byte_at(pass, end) == '+' && i < ARRAY_SIZE(began); i++)
        if (strncmp(name, began[i], strlen(began[i])) == 0)
            return true;
    return false;
}

size_t redact_learn_name(struct pass *pass, size_t at, enum redact_kind kind, bool soft)
{
    size_t end = name_end(pass, at);
    const char *name = arena_strndup(pass->redactor->arena, pass->in.bytes + at, end > at ? end - at : 0);

    if (!is_name(name, end - at) || redact_stays(name, end - at) ||
        (kind == REDACT_HOST && is_public_host(name)) || is_system_truncated(pass, name, end))
        return end;
    if (soft && (!is_like_no_word(name) || is_one_of(byte_at(pass, end), "/#")))
        return end;
    redact_mark(pass, at, end, kind);
    know(pass->redactor, name, kind);
    return end;
}

static size_t skip_bytes(const struct pass *pass, size_t at, const char *set)
{
    while (is_one_of(byte_at(pass, at), set))
        at++;
    return at;
}

/* Blanks, a colon or an equals sign, blanks, a quote; 0: there is no such thing. Dots as ibnetdiscover fills with. */
static size_t separator_end(const struct pass *pass, size_t at)
{
    if (byte_at(pass, at) == '\\')
        at++;
    if (byte_at(pass, at) == '"')
        at++;
    while (is_blank(byte_at(pass, at)))
        at++;
    if (byte_at(pass, at) == '.' && byte_at(pass, at + 1) == '.')
        while (byte_at(pass, at + 1) == '.')
            at++;
    else if (!is_one_of(byte_at(pass, at), ":="))
        return 0;
    at++;
    while (is_blank(byte_at(pass, at)))
        at++;
    at += byte_at(pass, at) == '\\';
    return at + (byte_at(pass, at) == '"' || byte_at(pass, at) == '\'');
}

/* The next name of a list, behind a comma with blanks and quotes about it, which is no key of what follows; at: there is none. */
static size_t next_of_list(const struct pass *pass, size_t at)
{
    size_t comma = skip_bytes(pass, at, " \"'"), next = skip_bytes(pass, comma + 1, " \"'");

    return byte_at(pass, comma) == ',' && is_alnum(byte_at(pass, next)) &&
                   separator_end(pass, name_end(pass, next)) == 0
               ? next
               : at;
}

/* "gpu[001-128],login1", "login1, login2": each of them. */
void redact_learn_hosts(struct pass *pass, size_t at)
{
    size_t end = at;
    struct hostlist list = {0};
    struct error ignored;
    bool brackets = false;

    while (is_name_byte(byte_at(pass, end)) || is_one_of(byte_at(pass, end), ".[],"))
        brackets |= byte_at(pass, end++) == '[';
    if (end > at && brackets && end - at < 65536) {
        if (hostlist_expand(pass->redactor->arena,
                            arena_strndup(pass->redactor->arena, pass->in.bytes + at, end - at), &list,
                            &ignored) < 0)
            return;
        for (size_t i = 0; i < list.names.count && i < MOST_HOSTS; i++)
            if (is_name(list.names.items[i], strlen(list.names.items[i])))
                redactor_know_host(pass->redactor, list.names.items[i]);
        return;
    }
    while (at < end) {
        at = redact_learn_name(pass, at, REDACT_HOST, false);
        while (at < end && is_one_of(byte_at(pass, at), ".[],"))
            at++;
    }
    while (end > 0 && byte_at(pass, end - 1) == ',')
        end--;
    while ((at = next_of_list(pass, end)) > end &&
           (end = redact_learn_name(pass, at, REDACT_HOST, true)) > at)
        ;
}

enum what { A_USER, A_HOST, HOSTS, A_NAME, A_DOMAIN, MAYBE_A_HOST };

struct phrase {
    const char *text; /* lower case; ":" at its end: a colon or equals sign, with blanks and quotes about */
    enum what what;
};

static const struct phrase phrases[] = {
    {"/home/", A_USER},
    {"/users/", A_USER},
    {"/crontabs/", A_USER},
    {"/var/mail/", A_USER},
    {"/spool/mail/", A_USER},
    {"/run/media/", A_USER},
    {"for user ", A_USER},
    {"invalid user ", A_USER},
    {"by user ", A_USER},
    {"of user ", A_USER},
    {"as user ", A_USER},
    {"slice of ", A_USER},
    {"publickey for ", A_USER},
    {"password for ", A_USER},
    {"pam for ", A_USER},
    {"owned by ", A_USER},
    {"submitted by ", A_USER},
    {"--user ", A_USER},
    {"lusers/", A_USER},
    {"user:", A_USER},
    {"username:", A_USER},
    {"user name:", A_USER},
    {"user_name:", A_USER},
    {"owner:", A_USER},
    {"logname:", A_USER},
    {"userid:", A_USER},
    {"groupid:", A_USER},
    {"account:", A_USER},
    {"slurm_job_account:", A_USER},
    {"ruser:", A_USER},
    {"hostname:", A_HOST},
    {"host name:", A_HOST},
    {"host_name:", A_HOST},
    {"host:", MAYBE_A_HOST},
    {"\"host\": \"", A_HOST},
    {"\"host\":\"", A_HOST},
    {"nodename:", HOSTS},
    {"node name:", A_HOST},
    {"node_name:", A_HOST},
    {"nodehostname:", A_HOST},
    {"nodeaddr:", A_HOST},
    {"batchhost:", A_HOST},
    {"submit_host:", A_HOST},
    {"nodelist:", HOSTS},
    {"nodelist(reason):", HOSTS},
    {"allocnode:sid:", A_HOST},
    {"fqdn:", A_HOST},
    {"sysname:", A_HOST},
    {"system name:", A_HOST},
    {"system name tlv", A_HOST},
    {"chassis.name:", A_HOST},
    {"\"chassis\": {", MAYBE_A_HOST},
    {"switch name:", A_HOST},
    {"is called ", MAYBE_A_HOST},
    {"are both called ", A_HOST},
    {"node_desc:", A_HOST},
    {"nodedesc:", A_HOST},
    {"node description:", A_HOST},
    {"nodedescription:", A_HOST},
    {"mf0;", A_HOST},
    {"resolve hostname ", A_HOST},
    {"connect to host ", MAYBE_A_HOST},
    {"connection to ", MAYBE_A_HOST},
    {"connected to ", MAYBE_A_HOST},
    {"on host ", MAYBE_A_HOST},
    {"on node ", MAYBE_A_HOST},
    {"to host ", MAYBE_A_HOST},
    {"from host ", MAYBE_A_HOST},
    {"on nodes ", HOSTS},
    {"domain name:", A_DOMAIN},
    {"dnsdomainname:", A_DOMAIN},
    {"pod:", A_NAME},
    {"pod_name:", A_NAME},
    {"podname:", A_NAME},
    {"pod.name:", A_NAME},
    {"namespace:", A_NAME},
    {"pod.namespace:", A_NAME},
    {"kubernetes pod ", A_NAME},
    {"kubernetes_pod\t", A_NAME},
    {"/var/log/pods/", A_NAME},
    {"posture.user\t", A_USER},
    {"posture.root\t", A_USER},
    {"posture.open_account\t", A_USER},
    {"posture.sudoer\t", A_USER},
    {"posture.nopasswd\t", A_USER},
    {"posture.key\t", A_USER},
    {"posture.time_source\t", A_HOST},
    {"in namespace ", A_NAME},
    {"asset tag:", A_NAME},
    {"partitionname:", A_NAME},
};

/* Where what the phrase announces begins; 0: it does not stand here. */
static size_t announced(const struct pass *pass, const struct phrase *phrase)
{
    struct slice rest = slice_from(pass->in, pass->at);
    size_t length = strlen(phrase->text), at;

    if (phrase->text[length - 1] == ':')
        length--;
    if (rest.length <= length || strncasecmp(rest.bytes, phrase->text, length) != 0)
        return 0;
    at = pass->at + length;
    if (phrase->text[length] == ':')
        return separator_end(pass, at);
    if (is_alnum((unsigned char)phrase->text[length - 1]) || phrase->text[length - 1] == '{')
        while (is_one_of(byte_at(pass, at), " \t\r\n\"{"))
            at++;
    return at;
}

static void learn_domain(struct pass *pass, size_t at)
{
    size_t end = name_end(pass, at);
    const char *name = arena_strndup(pass->redactor->arena, pass->in.bytes + at, end - at);

    if (is_name(name, end - at) && strchr(name, '.') != NULL && !redact_is_public(name))
        redactor_know_domain(pass->redactor, name);
}

/* "training/job-7 0f3e...", "training_job-7_0f3e..." as kubelets name the folders of pods. */
static void learn_names(struct pass *pass, size_t at)
{
    for (unsigned part = 0; part < 2 && is_alnum(byte_at(pass, at)); part++) {
        size_t end = at;
        const char *name;

        while (is_alnum(byte_at(pass, end)) || is_one_of(byte_at(pass, end), "-."))
            end++;
        name = arena_strndup(pass->redactor->arena, pass->in.bytes + at, end - at);
        if (is_name(name, end - at) && !redact_stays(name, end - at) && strcasecmp(name, "not") != 0) {
            redact_mark(pass, at, end, REDACT_NAME);
            if (!redact_is_common(name, end - at) && !redact_is_public(name))
                redact_know_name(pass->redactor, name);
        }
        if (!is_one_of(byte_at(pass, end), "/_"))
            return;
        at = end + 1;
    }
}

static void learn_announced(struct pass *pass, enum what what, size_t at)
{
    switch (what) {
    case A_USER:
        /* "N/A", "user=1.2" and "user: {" are nobody. */
        if (strncmp(pass->in.bytes + at, "N/A", pass->in.length - at < 3 ? pass->in.length - at : 3) != 0)
            redact_learn_name(pass, at, REDACT_USER, false);
        break;
    case A_HOST:
    case MAYBE_A_HOST:
        if (at + 4 < pass->in.length && strncasecmp(pass->in.bytes + at, "MF0;", 4) == 0)
            at += 4;
        redact_learn_name(pass, at, REDACT_HOST, what == MAYBE_A_HOST);
        break;
    case HOSTS:
        redact_learn_hosts(pass, at);
        break;
    case A_NAME:
        learn_names(pass, at);
        break;
    case A_DOMAIN:
    default:
        learn_domain(pass, at);
    }
}

static void learn_phrase(struct pass *pass)
{
    int byte = tolower(byte_at(pass, pass->at));

    for (size_t i = 0; i < ARRAY_SIZE(phrases); i++) {
        size_t at = phrases[i].text[0] == byte ? announced(pass, &phrases[i]) : 0;

        if (at > 0)
            learn_announced(pass, phrases[i].what, at);
    }
}

static bool skip_digits(const struct pass *pass, size_t *at)
{
    size_t begin = *at;

    while (isdigit(byte_at(pass, *at)))
        ++*at;
    return *at > begin;
}

static bool skip_text(const struct pass *pass, size_t *at, const char *text)
{
    if (!slice_starts(slice_from(pass->in, *at < pass->in.length ? *at : pass->in.length), text))
        return false;
    *at += strlen(text);
    return true;
}

/* A job's user, and its name between `open` and `close`. */
static void learn_job_of(struct pass *pass, size_t at, const char *open, char close)
{
    const char ends[] = {close, '\n', '"', '\0'};
    size_t end = redact_learn_name(pass, at, REDACT_USER, false), last;

    if (!skip_text(pass, &end, open))
        return;
    for (last = end; last < pass->in.length && !is_one_of(byte_at(pass, last), ends);)
        last++;
    if (last - end <= LONGEST && byte_at(pass, last) == close)
        redact_mark(pass, end, last, REDACT_NAME);
}

/* "job 77 of carol (pretrain)", or as the script says it that asks a host whose it is: what follows its code, by tabs. */
static void learn_job(struct pass *pass)
{
    size_t at = pass->at;

    if (skip_text(pass, &at, "slurm_job_of\t") || skip_text(pass, &at, "slurm_job_named\t")) {
        if (skip_digits(pass, &at) && skip_text(pass, &at, "\t"))
            learn_job_of(pass, at, "\t", '\n');
    } else if ((skip_text(pass, &at, "job ") || skip_text(pass, &at, "Job ")) && skip_digits(pass, &at) &&
               skip_text(pass, &at, " of ")) {
        learn_job_of(pass, at, " (", ')');
    }
}

/* "User bob from 10.0.0.9 not allowed" */
static void learn_sentence(struct pass *pass)
{
    static const char *const next[] = {" from ", " not ", " logged ", " is ", " has ", " was ", " cannot "};
    size_t at = pass->at, end;

    if (!skip_text(pass, &at, "User "))
        return;
    end = name_end(pass, at);
    for (size_t i = 0; i < ARRAY_SIZE(next); i++)
        if (slice_starts(slice_from(pass->in, end), next[i]))
            redact_learn_name(pass, at, REDACT_USER, false);
}

/* "uid=1000(bob) gid=1000(bob) groups=1000(bob),27(sudo)", "UserId=bob(1000)" is a phrase. "Uid: ( 1001/   carol)". */
static void learn_identity(struct pass *pass)
{
    size_t at = pass->at;

    if (skip_text(pass, &at, "uid=") || skip_text(pass, &at, "gid=") || skip_text(pass, &at, "groups=")) {
        pass->identity_end = at + 1024;
    } else if (skip_text(pass, &at, "Uid: (") || skip_text(pass, &at, "Gid: (")) {
        while (is_blank(byte_at(pass, at)))
            at++;
        if (!skip_digits(pass, &at) || !skip_text(pass, &at, "/"))
            return;
        while (is_blank(byte_at(pass, at)))
            at++;
        redact_learn_name(pass, at, REDACT_USER, false);
    } else if (pass->at < pass->identity_end && isdigit(byte_at(pass, at)) && skip_digits(pass, &at) &&
               skip_text(pass, &at, "(")) {
        redact_learn_name(pass, at, REDACT_USER, false);
    }
    if (byte_at(pass, pass->at) == '\n')
        pass->identity_end = 0;
}

/* "12:00:00 node7 kernel:", "12:00:00 node7 sshd[12]:", "12:00:00 node7 systemd:": a line of a journal. */
static void learn_journal(struct pass *pass)
{
    static const char shape[] = "00:00:00";
    size_t at = pass->at, end;

    /* "0000:10:00.0" is the place of a PCI device. */
    if (at > 0 && is_one_of(byte_at(pass, at - 1), ":0123456789abcdef"))
        return;
    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == '0' ? !isdigit(byte_at(pass, at + i)) : byte_at(pass, at + i) != shape[i])
            return;
    at += sizeof shape - 1;
    while (is_one_of(byte_at(pass, at), ".0123456789+:Z"))
        at++;
    if (byte_at(pass, at) != ' ' || !is_alnum(byte_at(pass, at + 1)))
        return;
    end = name_end(pass, ++at);
    if (byte_at(pass, end) != ' ')
        return;
    end++;
    while (is_name_byte(byte_at(pass, end)) || is_one_of(byte_at(pass, end), "./()"))
        end++;
    if (byte_at(pass, end) == ':' || (byte_at(pass, end) == '[' && isdigit(byte_at(pass, end + 1))))
        redact_learn_name(pass, at, REDACT_HOST, false);
}

/* "Pid 4711 on node7 device 0", as nccl-tests prints its ranks. */
static void learn_rank(struct pass *pass)
{
    size_t at = pass->at;

    if (!skip_text(pass, &at, "Pid "))
        return;
    while (is_blank(byte_at(pass, at)))
        at++;
    if (!skip_digits(pass, &at) || !skip_text(pass, &at, " on "))
        return;
    while (is_blank(byte_at(pass, at)))
        at++;
    redact_learn_name(pass, at, REDACT_HOST, false);
}

/* "Linux node7 5.15.0-91-generic": uname. */
static void learn_kernel(struct pass *pass)
{
    size_t at = pass->at, end;

    if (!skip_text(pass, &at, "Linux "))
        return;
    end = name_end(pass, at);
    if (!redact_is_common(pass->in.bytes + at, end - at) && byte_at(pass, end) == ' ' &&
        isdigit(byte_at(pass, end + 1)) && is_one_of(byte_at(pass, end + 2), ".0123456789"))
        redact_learn_name(pass, at, REDACT_HOST, false);
}

/* "bob@node1": a user if what follows is no unit of systemd, version of a package or symbol. */
static bool is_login_host(const struct pass *pass, size_t at, size_t end)
{
    static const char *const units[] = {".service", ".socket", ".target", ".mount",
                                        ".slice",   ".timer",  ".device"};
    struct slice host = {pass->in.bytes + at, end - at};

    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (slice_ends(host, units[i]))
            return false;
    /* "Members@odata.count" is a word of OData, in which BMCs answer. */
    return host.length > 0 && !slice_starts(host, "odata.") && isalpha(byte_at(pass, at)) &&
           memchr(host.bytes, '_', host.length) == NULL;
}

static void learn_login(struct pass *pass)
{
    size_t at = pass->at, end = at;

    while (end - at <= LONGEST && (is_name_byte(byte_at(pass, end)) || is_one_of(byte_at(pass, end), ".+")))
        end++;
    if (end == at || byte_at(pass, end) != '@' || !is_login_host(pass, end + 1, name_end(pass, end + 1)))
        return;
    redact_learn_name(pass, at, REDACT_USER, false);
    redact_learn_name(pass, end + 1, REDACT_HOST, false);
}

static size_t authority_end(const struct pass *pass, size_t at)
{
    size_t end = at;

    while (byte_at(pass, end) > ' ' && byte_at(pass, end) < 0x7f &&
           !is_one_of(byte_at(pass, end), "/\"'<>\\?#`|,;)"))
        end++;
    return end;
}

/* "https://bob:secret@host:8080/" */
static void learn_url(struct pass *pass)
{
    size_t begin = pass->at + 3, end, at, colon;

    if (byte_at(pass, pass->at + 1) != '/' || byte_at(pass, pass->at + 2) != '/' || pass->at == 0 ||
        !is_alnum(byte_at(pass, pass->at - 1)))
        return;
    end = authority_end(pass, begin);
    for (at = end; at > begin && byte_at(pass, at) != '@'; at--)
        ;
    if (byte_at(pass, at) == '@' && at > begin) {
        for (colon = begin; colon < at && byte_at(pass, colon) != ':'; colon++)
            ;
        redact_learn_name(pass, begin, REDACT_USER, false);
        redact_mark(pass, colon + 1, at, REDACT_NAME);
        pass->login_end = ++at;
    }
    redact_learn_name(pass, at, REDACT_HOST, false);
}

/* "~carol/x" */
static void learn_tilde(struct pass *pass)
{
    int before = pass->at > 0 ? byte_at(pass, pass->at - 1) : ' ';
    size_t end = name_end(pass, pass->at + 1);

    if (isalpha(byte_at(pass, pass->at + 1)) && (before <= ' ' || is_one_of(before, "\"'=:(")) &&
        (byte_at(pass, end) <= ' ' || is_one_of(byte_at(pass, end), "/\"':)")))
        redact_learn_name(pass, pass->at + 1, REDACT_USER, false);
}

/* "gpu12 HCA-1", "gpu12 mlx5_0" in quotes or brackets: how InfiniBand describes an end of a link. Of a switch it is the name alone, and
   what stands behind tells it: of ibdiagnet's lists of links and of ports, and of iblinkinfo's lines. */
static void learn_description(struct pass *pass, size_t at)
{
    static const char *const next[] = {
        " HCA-", " mlx", " hfi", " bnxt_re", " irdma", " ibp", "} LID:0", "\", Mellanox, 0", "\" ( "};
    size_t end = name_end(pass, at);

    for (size_t i = 0; i < ARRAY_SIZE(next); i++)
        if (slice_starts(slice_from(pass->in, end < pass->in.length ? end : pass->in.length), next[i]))
            redact_learn_name(pass, at, REDACT_HOST, false);
}

/* "Switch: 0x506b4b0300cafe01 leaf1:", "CA: gpu1 mlx5_0:" */
static void learn_listing(struct pass *pass)
{
    enum { GUID = 18 };
    size_t at = pass->at;

    if (skip_text(pass, &at, "CA: "))
        learn_description(pass, at);
    else if (skip_text(pass, &at, "Switch: ") && skip_text(pass, &at, "0x")) {
        pass->guid_end = at + NEAR;
        at += GUID - 2;
        if (skip_text(pass, &at, " ") && byte_at(pass, name_end(pass, at)) == ':')
            redact_learn_name(pass, at, REDACT_HOST, false);
    }
}

/* "storage7.acme.example" wherever it stands. */
static void learn_fqdn(struct pass *pass)
{
    size_t end = name_end(pass, pass->at);
    const char *name;

    if (end - pass->at > 253 || memchr(pass->in.bytes + pass->at, '.', end - pass->at) == NULL ||
        is_one_of(byte_at(pass, end), "(_"))
        return;
    name = arena_strndup(pass->arena, pass->in.bytes + pass->at, end - pass->at);
    if (strchr(name, '_') != NULL || !redact_is_fqdn(name) || redact_is_public(name))
        return;
    if (strchr(strchr(name, '.') + 1, '.') == NULL)
        redactor_know_domain(pass->redactor, name);
    else
        redact_learn_name(pass, pass->at, REDACT_HOST, false);
}

/* How far a word says that hardware's addresses come. */
static void learn_hardware(struct pass *pass)
{
    static const char *const macs[] = {"mac",     "hwaddr", "ether", "lladdr", "permanent address",
                                       "chassis", "portid"};
    struct slice rest = slice_from(pass->in, pass->at);

    if (rest.length > 4 && strncasecmp(rest.bytes, "guid", 4) == 0)
        pass->guid_end = pass->at + NEAR;
    for (size_t i = 0; i < ARRAY_SIZE(macs); i++) {
        size_t length = strlen(macs[i]);

        if (rest.length > length && strncasecmp(rest.bytes, macs[i], length) == 0 &&
            !isalpha(byte_at(pass, pass->at + length)))
            pass->mac_end = pass->at + length + NEAR / 2;
    }
}

/* Not in a word, nor behind what a name may have in it. */
static bool begins_token(const struct pass *pass)
{
    return redact_begins(pass, pass->at) &&
           (pass->at == 0 || !is_one_of(byte_at(pass, pass->at - 1), "._+-"));
}

static void learn_token(struct pass *pass)
{
    int byte = byte_at(pass, pass->at);

    if (pass->at >= pass->login_end)
        learn_login(pass);
    learn_fqdn(pass);
    if (byte == 'P')
        learn_rank(pass);
    else if (byte == 'L')
        learn_kernel(pass);
    else if (byte == 'U')
        learn_sentence(pass);
    else if (byte == 'C' || byte == 'S')
        learn_listing(pass);
    else if (byte == 'j' || byte == 'J' || byte == 's')
        learn_job(pass);
}

static void learn_lines(struct pass *pass)
{
    while (pass->at >= pass->next_line && pass->next_line < pass->in.length) {
        size_t begin = pass->next_line, end = begin;

        while (end < pass->in.length && !is_one_of(byte_at(pass, end), "\n\r") &&
               !(byte_at(pass, end) == '\\' && byte_at(pass, end + 1) == 'n'))
            end++;
        pass->next_line = end + (byte_at(pass, end) == '\\' ? 2 : 1);
        redact_learn_line(pass, begin, end);
    }
}

void redact_learn(struct pass *pass)
{
    int byte = byte_at(pass, pass->at);

    learn_lines(pass);
    if (byte == ':')
        learn_url(pass);
    else if (byte == '~')
        learn_tilde(pass);
    else if (byte == '"' || byte == '{' || byte == '\'')
        learn_description(pass, pass->at + 1);
    else if (isdigit(byte))
        learn_journal(pass);
    learn_identity(pass);
    if (byte == '/' || byte == '"' || redact_begins(pass, pass->at))
        learn_phrase(pass);
    if (isalpha(byte)) {
        if (pass->at == 0 || !isalpha(byte_at(pass, pass->at - 1)) || tolower(byte) == 'g')
            learn_hardware(pass);
    }
    if (is_alnum(byte) && begins_token(pass))
        learn_token(pass);
}
