-- SPDX-License-Identifier: Apache-2.0
-- The tables as of format 12: what a new file begins with, and what an older one is moved into (schema.c). Released, so
-- never edited: a later format is one more file of migrations/.
--
-- NULL in a REAL column is NAN (no number), in a TEXT or word column no text: only what may be so in struct record may be
-- NULL here, for what reads it goes by that. Words of enums are stored as text (vocabulary.c). Metrics, subjects, places
-- and units are interned in `word`: they are few and are repeated for every host. The columns that name words in the two
-- large tables, measurement and outcome, have no REFERENCES clause: it would cost a look-up for each of millions of values,
-- and words are never deleted.

-- section WORDS_12: as they always were
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

-- Bytes, kept once however often they occur: zstd in blocks of 64 KiB.
CREATE TABLE content(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, length INTEGER NOT NULL) STRICT;
CREATE TABLE blob(content INTEGER NOT NULL REFERENCES content, n INTEGER NOT NULL, zstd BLOB NOT NULL, PRIMARY KEY(content, n)) STRICT;

-- section TABLES_12
CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT CHECK(id>0), uuid TEXT NOT NULL UNIQUE CHECK(length(uuid)=36),
    state TEXT NOT NULL, started REAL NOT NULL, ended REAL NOT NULL, suite TEXT NOT NULL, suite_title TEXT NOT NULL,
    hostfile TEXT NOT NULL, program TEXT NOT NULL, controller_pid INTEGER NOT NULL, controller_start TEXT NOT NULL,
    controller_host TEXT NOT NULL) STRICT;
-- Of a run that another party made and that came in a bundle. signers: whose good signatures the bundle was compared with,
-- one a line; '' is unsigned. judgement: the last one that came with it; those behind it were made here. Not part of what
-- the run consists of: it is what we know of how it came here.
CREATE TABLE origin(run INTEGER PRIMARY KEY REFERENCES run, imported REAL NOT NULL, bundle TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK(length(sha256)=64), redacted INTEGER NOT NULL CHECK(redacted IN (0,1)),
    signers TEXT NOT NULL, judgement INTEGER NOT NULL) STRICT;
CREATE TABLE document(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL CHECK(n>=0), kind TEXT NOT NULL,
    name TEXT NOT NULL, content INTEGER NOT NULL REFERENCES content, PRIMARY KEY(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE run_host(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL CHECK(n>=0), name TEXT NOT NULL,
    address TEXT, mpi_address TEXT, user TEXT, identity TEXT, jump TEXT, known_hosts TEXT, platform TEXT, unit TEXT NOT NULL,
    rack TEXT NOT NULL, leaf TEXT NOT NULL, transport TEXT NOT NULL, slots INTEGER NOT NULL, port INTEGER NOT NULL, role TEXT NOT NULL,
    become_root INTEGER NOT NULL, timescale REAL NOT NULL, file_line INTEGER NOT NULL, file_column INTEGER NOT NULL,
    PRIMARY KEY(run, n), UNIQUE(run, name)) STRICT, WITHOUT ROWID;
CREATE TABLE host_label(run INTEGER NOT NULL, host INTEGER NOT NULL, n INTEGER NOT NULL, key TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY(run, host, n), FOREIGN KEY(run, host) REFERENCES run_host(run, n))
    STRICT, WITHOUT ROWID;

-- Shapes are shared by runs. sha256 is the plan's name for one; digest is over everything that the rows hold, so that a
-- run never gets another run's timeouts or limits back.
CREATE TABLE shape(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL, check_name TEXT NOT NULL,
    suite_step TEXT NOT NULL, scope TEXT NOT NULL, platform TEXT NOT NULL, hosts INTEGER NOT NULL,
    expected_s INTEGER NOT NULL, timeout_s INTEGER NOT NULL, retries INTEGER NOT NULL, repeat INTEGER NOT NULL,
    exclusivity TEXT NOT NULL, as_root INTEGER NOT NULL, passive INTEGER NOT NULL, variant TEXT NOT NULL DEFAULT '',
    arguments TEXT, retests INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE slot(shape INTEGER NOT NULL REFERENCES shape, n INTEGER NOT NULL CHECK(n>=0),
    metric INTEGER NOT NULL REFERENCES word, subject INTEGER NOT NULL REFERENCES word,
    at INTEGER NOT NULL REFERENCES word, size_bytes REAL, duty TEXT NOT NULL,
    duty_note INTEGER NOT NULL REFERENCES word, PRIMARY KEY(shape, n)) STRICT, WITHOUT ROWID;
CREATE TABLE slot_limit(shape INTEGER NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES word, subject INTEGER REFERENCES word, scope INTEGER REFERENCES word,
    hosts_min INTEGER NOT NULL, hosts_max INTEGER NOT NULL, size_min REAL, size_max REAL, rule TEXT NOT NULL, value REAL,
    text TEXT, tolerance REAL, unit INTEGER REFERENCES word, source INTEGER REFERENCES word, status TEXT NOT NULL,
    note INTEGER REFERENCES word, inconclusive INTEGER NOT NULL, most REAL DEFAULT 0, PRIMARY KEY(shape, slot, n),
    FOREIGN KEY(shape, slot) REFERENCES slot(shape, n)) STRICT, WITHOUT ROWID;

-- The plan of a run. Steps, hosts and shapes are known by their places in it, as in struct plan.
CREATE TABLE run_shape(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL CHECK(n>=0),
    shape INTEGER NOT NULL REFERENCES shape, PRIMARY KEY(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE step(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL CHECK(n>=0), key TEXT NOT NULL,
    shape INTEGER NOT NULL, origin TEXT NOT NULL, origin_note TEXT NOT NULL, parent INTEGER NOT NULL DEFAULT 0,
    round INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(run, n), UNIQUE(run, key),
    FOREIGN KEY(run, shape) REFERENCES run_shape(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE member(run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL CHECK(n>=0), host INTEGER NOT NULL,
    PRIMARY KEY(run, step, n), FOREIGN KEY(run, step) REFERENCES step(run, n),
    FOREIGN KEY(run, host) REFERENCES run_host(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE need(run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL CHECK(n>=0), needs INTEGER NOT NULL,
    PRIMARY KEY(run, step, n), FOREIGN KEY(run, step) REFERENCES step(run, n),
    FOREIGN KEY(run, needs) REFERENCES step(run, n)) STRICT, WITHOUT ROWID;

-- Committed before anything is sent: the journal of a run, there is no other.
CREATE TABLE attempt(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL,
    uuid TEXT NOT NULL UNIQUE, state TEXT NOT NULL, ending TEXT NOT NULL, rc INTEGER NOT NULL, text TEXT NOT NULL,
    sent REAL, began REAL, ended REAL, boot_id TEXT, up_began REAL, up_ended REAL,
    command INTEGER REFERENCES content, transport INTEGER REFERENCES word, connections INTEGER NOT NULL,
    UNIQUE(run, step, n), FOREIGN KEY(run, step) REFERENCES step(run, n)) STRICT;
-- Of a clipped one, content is the head, and sha256 is that of all its bytes. flooded: the host kept the head only.
CREATE TABLE capture(attempt INTEGER NOT NULL REFERENCES attempt, stream TEXT NOT NULL, length INTEGER NOT NULL
    CHECK(length>=0), flooded INTEGER NOT NULL, cut INTEGER NOT NULL, content INTEGER REFERENCES content,
    clipped INTEGER NOT NULL DEFAULT 0, tail INTEGER REFERENCES content, sha256 TEXT,
    PRIMARY KEY(attempt, stream)) STRICT, WITHOUT ROWID;
-- What was read on the members right before and after an attempt: output and what it was.
CREATE TABLE window(attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL CHECK(n>=0),
    member INTEGER NOT NULL, role TEXT NOT NULL, ending TEXT NOT NULL, rc INTEGER NOT NULL, text TEXT NOT NULL,
    boot_id TEXT, began REAL, ended REAL, up_began REAL, up_ended REAL, PRIMARY KEY(attempt, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE window_capture(attempt INTEGER NOT NULL, window INTEGER NOT NULL, stream TEXT NOT NULL,
    length INTEGER NOT NULL CHECK(length>=0), flooded INTEGER NOT NULL, cut INTEGER NOT NULL,
    content INTEGER REFERENCES content, PRIMARY KEY(attempt, window, stream),
    FOREIGN KEY(attempt, window) REFERENCES window(attempt, n)) STRICT, WITHOUT ROWID;
-- Offsets into the captures of the attempt, stdout and stderr: window 0, or into those of its window - 1.
CREATE TABLE part(attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL, name INTEGER NOT NULL REFERENCES word,
    command INTEGER NOT NULL REFERENCES word, began INTEGER NOT NULL, ended INTEGER NOT NULL, rc INTEGER NOT NULL,
    out_offset INTEGER, out_length INTEGER, err_offset INTEGER, err_length INTEGER, aside INTEGER NOT NULL DEFAULT 0,
    window INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(attempt, n),
    CHECK((out_offset IS NULL)=(out_length IS NULL)), CHECK((err_offset IS NULL)=(err_length IS NULL)))
    STRICT, WITHOUT ROWID;

-- part: whose reading it is, NULL for the check's own of the whole attempt. parent: n of the reading that this one is a run
-- of. A measurement with a text is a fact.
CREATE TABLE reading(id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL,
    part INTEGER, parent INTEGER, tool TEXT NOT NULL, status TEXT NOT NULL, reason TEXT, UNIQUE(attempt, n)) STRICT;
CREATE TABLE measurement(reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE, n INTEGER NOT NULL,
    metric INTEGER NOT NULL, subject INTEGER NOT NULL, at INTEGER, value REAL, text TEXT, unit INTEGER,
    PRIMARY KEY(reading, n), CHECK(text IS NOT NULL OR at IS NOT NULL AND unit IS NOT NULL)) STRICT, WITHOUT ROWID;
CREATE TABLE finding(reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE, n INTEGER NOT NULL,
    code INTEGER NOT NULL REFERENCES word, subject INTEGER NOT NULL REFERENCES word, severity TEXT NOT NULL,
    text TEXT NOT NULL, PRIMARY KEY(reading, n)) STRICT, WITHOUT ROWID;

-- Which item, by its identity, an attempt saw at which place of which host of the run.
CREATE TABLE item(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, identity TEXT NOT NULL, UNIQUE(kind, identity)) STRICT;
CREATE TABLE sighting(attempt INTEGER NOT NULL REFERENCES attempt, host INTEGER NOT NULL,
    position INTEGER NOT NULL REFERENCES word, item INTEGER NOT NULL REFERENCES item, serial INTEGER REFERENCES word,
    PRIMARY KEY(attempt, host, position, item)) STRICT, WITHOUT ROWID;
CREATE INDEX sighting_item ON sighting(item);

CREATE TABLE judgement(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, run INTEGER NOT NULL REFERENCES run,
    baselines TEXT NOT NULL, now REAL NOT NULL DEFAULT 0, inputs TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX judgement_run ON judgement(run);
CREATE TABLE judgement_document(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL CHECK(n>=0),
    kind TEXT NOT NULL, name TEXT NOT NULL, content INTEGER NOT NULL REFERENCES content, PRIMARY KEY(judgement, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE outcome(judgement INTEGER NOT NULL REFERENCES judgement, step INTEGER NOT NULL, slot INTEGER NOT NULL,
    word TEXT NOT NULL, cause TEXT NOT NULL, remedy INTEGER NOT NULL, measured TEXT NOT NULL, value REAL,
    limit_text INTEGER NOT NULL, gate INTEGER NOT NULL, source INTEGER NOT NULL, status INTEGER NOT NULL,
    remark INTEGER NOT NULL, PRIMARY KEY(judgement, step, slot)) STRICT, WITHOUT ROWID;
CREATE TABLE verdict(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, scope TEXT NOT NULL,
    name TEXT NOT NULL, word TEXT NOT NULL, pass INTEGER NOT NULL CHECK(pass>=0), fail INTEGER NOT NULL CHECK(fail>=0),
    inconclusive INTEGER NOT NULL CHECK(inconclusive>=0), not_run INTEGER NOT NULL CHECK(not_run>=0),
    recorded INTEGER NOT NULL CHECK(recorded>=0), accused INTEGER NOT NULL DEFAULT 0 CHECK(accused>=0),
    waived INTEGER NOT NULL DEFAULT 0 CHECK(waived>=0), PRIMARY KEY(judgement, n)) STRICT, WITHOUT ROWID;
-- The parts of slow tests that tell who makes them slow.
CREATE TABLE search(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, step INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES word, size_bytes REAL, conclusion TEXT NOT NULL, candidates TEXT NOT NULL,
    PRIMARY KEY(judgement, n)) STRICT, WITHOUT ROWID;
CREATE TABLE accusation(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, step INTEGER NOT NULL,
    kind TEXT NOT NULL, subject TEXT NOT NULL, place TEXT NOT NULL, intermittent INTEGER NOT NULL,
    slow_tests INTEGER NOT NULL, fast_tests INTEGER NOT NULL, doubt REAL, PRIMARY KEY(judgement, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE accusation_step(judgement INTEGER NOT NULL, accusation INTEGER NOT NULL, n INTEGER NOT NULL,
    step INTEGER NOT NULL, PRIMARY KEY(judgement, accusation, n),
    FOREIGN KEY(judgement, accusation) REFERENCES accusation(judgement, n)) STRICT, WITHOUT ROWID;

-- Never edited or deleted: who takes one back adds a withdrawal. A judgement names those it rests on, and the time that it
-- was made for. Another party's, which came with an origin, counts from when somebody here adopts it by name.
CREATE TABLE waiver(uuid TEXT PRIMARY KEY NOT NULL, run INTEGER NOT NULL REFERENCES run, step_key TEXT NOT NULL,
    attempt TEXT NOT NULL REFERENCES attempt(uuid), who TEXT NOT NULL, why TEXT NOT NULL, made REAL NOT NULL,
    until REAL NOT NULL, FOREIGN KEY(run, step_key) REFERENCES step(run, key)) STRICT;
CREATE INDEX waiver_run ON waiver(run);
CREATE TABLE waived_item(waiver TEXT NOT NULL REFERENCES waiver, n INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES word, subject INTEGER NOT NULL REFERENCES word,
    at INTEGER NOT NULL REFERENCES word, hardware TEXT NOT NULL, PRIMARY KEY(waiver, n)) STRICT, WITHOUT ROWID;
CREATE TABLE withdrawal(uuid TEXT PRIMARY KEY NOT NULL, waiver TEXT NOT NULL UNIQUE REFERENCES waiver, who TEXT NOT NULL,
    why TEXT NOT NULL, made REAL NOT NULL) STRICT;
CREATE TABLE adoption(waiver TEXT PRIMARY KEY NOT NULL REFERENCES waiver, who TEXT NOT NULL, why TEXT NOT NULL,
    made REAL NOT NULL) STRICT;
CREATE TABLE outcome_waiver(judgement INTEGER NOT NULL REFERENCES judgement, step INTEGER NOT NULL, slot INTEGER NOT NULL,
    waiver TEXT NOT NULL REFERENCES waiver, PRIMARY KEY(judgement, step, slot)) STRICT, WITHOUT ROWID;

-- What stands for a name in exports.
CREATE TABLE pseudonym(kind TEXT NOT NULL, name TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY(kind, name),
    UNIQUE(kind, n)) STRICT, WITHOUT ROWID;

-- Runs and events are added, and nothing is edited: how an acceptance stands follows from them.
CREATE TABLE acceptance(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE,
    made REAL NOT NULL) STRICT;
CREATE TABLE acceptance_document(acceptance INTEGER NOT NULL REFERENCES acceptance, n INTEGER NOT NULL CHECK(n>=0),
    kind TEXT NOT NULL, name TEXT NOT NULL, content INTEGER NOT NULL REFERENCES content, PRIMARY KEY(acceptance, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE acceptance_run(acceptance INTEGER NOT NULL REFERENCES acceptance, run INTEGER NOT NULL REFERENCES run,
    added REAL NOT NULL, PRIMARY KEY(acceptance, run)) STRICT, WITHOUT ROWID;
CREATE TABLE event(uuid TEXT PRIMARY KEY NOT NULL, acceptance INTEGER NOT NULL REFERENCES acceptance, kind TEXT NOT NULL,
    host TEXT NOT NULL, item TEXT NOT NULL, spare TEXT NOT NULL, note TEXT NOT NULL, at REAL NOT NULL,
    made REAL NOT NULL) STRICT;
CREATE INDEX event_acceptance ON event(acceptance);
