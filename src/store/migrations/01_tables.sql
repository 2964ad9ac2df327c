-- SPDX-License-Identifier: Apache-2.0
CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

-- Bytes, kept once however often they occur: zstd in blocks of 64 KiB.
CREATE TABLE content(id INTEGER PRIMARY KEY, sha256 TEXT NOT NULL UNIQUE, length INTEGER NOT NULL) STRICT;
CREATE TABLE blob(content INTEGER NOT NULL REFERENCES content, n INTEGER NOT NULL, zstd BLOB NOT NULL, PRIMARY
    KEY(content, n)) STRICT;
CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, state TEXT NOT NULL, started REAL,
    ended REAL, suite TEXT, suite_title TEXT, hostfile TEXT, program TEXT, controller_pid INTEGER NOT NULL,
    controller_start TEXT NOT NULL, controller_host TEXT NOT NULL) STRICT;
CREATE TABLE document(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, kind TEXT, name TEXT, content INTEGER
    NOT NULL REFERENCES content, PRIMARY KEY(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE run_host(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, name TEXT NOT NULL, address TEXT,
    mpi_address TEXT, user TEXT, identity TEXT, jump TEXT, known_hosts TEXT, platform TEXT, unit TEXT, rack TEXT,
    leaf TEXT, transport TEXT, slots INTEGER NOT NULL, port INTEGER NOT NULL, role TEXT NOT NULL, become_root
    INTEGER NOT NULL, timescale REAL, file_line INTEGER NOT NULL, file_column INTEGER NOT NULL, PRIMARY KEY(run, n),
    UNIQUE(run, name)) STRICT, WITHOUT ROWID;
CREATE TABLE host_label(run INTEGER NOT NULL, host INTEGER NOT NULL, n INTEGER NOT NULL, key TEXT, value TEXT,
    PRIMARY KEY(run, host, n), FOREIGN KEY(run, host) REFERENCES run_host(run, n)) STRICT, WITHOUT ROWID;

-- Shapes are shared by runs. sha256 is the plan's name for one; digest is over everything that the rows hold, so that
-- a run never gets another run's timeouts or limits back.
CREATE TABLE shape(id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, sha256 TEXT, check_name TEXT, suite_step
    TEXT, scope TEXT, platform TEXT, hosts INTEGER NOT NULL, expected_s INTEGER NOT NULL, timeout_s INTEGER NOT
    NULL, retries INTEGER NOT NULL, repeat INTEGER NOT NULL, exclusivity TEXT NOT NULL, as_root INTEGER NOT NULL,
    passive INTEGER NOT NULL) STRICT;
CREATE TABLE slot(shape INTEGER NOT NULL REFERENCES shape, n INTEGER NOT NULL, metric INTEGER REFERENCES word,
    subject INTEGER REFERENCES word, at INTEGER REFERENCES word, size_bytes REAL, duty TEXT NOT NULL, duty_note
    INTEGER REFERENCES word, PRIMARY KEY(shape, n)) STRICT, WITHOUT ROWID;
CREATE TABLE slot_limit(shape INTEGER NOT NULL, slot INTEGER NOT NULL, n INTEGER NOT NULL, metric INTEGER REFERENCES
    word, subject INTEGER REFERENCES word, scope INTEGER REFERENCES word, hosts_min INTEGER NOT NULL, hosts_max
    INTEGER NOT NULL, size_min REAL, size_max REAL, rule TEXT NOT NULL, value REAL, text TEXT, tolerance REAL, unit
    INTEGER REFERENCES word, source INTEGER REFERENCES word, status TEXT NOT NULL, note INTEGER REFERENCES word,
    inconclusive INTEGER NOT NULL, PRIMARY KEY(shape, slot, n), FOREIGN KEY(shape, slot) REFERENCES slot(shape, n))
    STRICT, WITHOUT ROWID;

-- The plan of a run. Steps, hosts and shapes are known by their places in it, as in struct plan.
CREATE TABLE run_shape(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, shape INTEGER NOT NULL REFERENCES
    shape, PRIMARY KEY(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE step(run INTEGER NOT NULL REFERENCES run, n INTEGER NOT NULL, key TEXT NOT NULL, shape INTEGER NOT
    NULL, origin TEXT NOT NULL, origin_note TEXT, PRIMARY KEY(run, n), UNIQUE(run, key), FOREIGN KEY(run, shape)
    REFERENCES run_shape(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE member(run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL, host INTEGER NOT NULL, PRIMARY
    KEY(run, step, n), FOREIGN KEY(run, step) REFERENCES step(run, n), FOREIGN KEY(run, host) REFERENCES
    run_host(run, n)) STRICT, WITHOUT ROWID;
CREATE TABLE need(run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL, needs INTEGER NOT NULL, PRIMARY
    KEY(run, step, n), FOREIGN KEY(run, step) REFERENCES step(run, n), FOREIGN KEY(run, needs) REFERENCES step(run,
    n)) STRICT, WITHOUT ROWID;

-- Committed before anything is sent: the journal of a run, there is no other.
CREATE TABLE attempt(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, step INTEGER NOT NULL, n INTEGER NOT NULL, uuid
    TEXT NOT NULL UNIQUE, state TEXT NOT NULL, ending TEXT NOT NULL, rc INTEGER NOT NULL, text TEXT, sent REAL,
    began REAL, ended REAL, boot_id TEXT, up_began REAL, up_ended REAL, command INTEGER REFERENCES content,
    transport INTEGER REFERENCES word, connections INTEGER NOT NULL, UNIQUE(run, step, n), FOREIGN KEY(run, step)
    REFERENCES step(run, n)) STRICT;
CREATE TABLE capture(attempt INTEGER NOT NULL REFERENCES attempt, stream TEXT NOT NULL, length INTEGER NOT NULL,
    clipped INTEGER NOT NULL, cut INTEGER NOT NULL, content INTEGER REFERENCES content, PRIMARY KEY(attempt,
    stream)) STRICT, WITHOUT ROWID;

-- Offsets into the captures of the attempt: stdout and stderr.
CREATE TABLE part(attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL, name INTEGER REFERENCES word,
    command INTEGER REFERENCES word, began INTEGER NOT NULL, ended INTEGER NOT NULL, rc INTEGER NOT NULL, out_offset
    INTEGER, out_length INTEGER, err_offset INTEGER, err_length INTEGER, PRIMARY KEY(attempt, n)) STRICT, WITHOUT
    ROWID;

-- part: whose reading it is, NULL for the check's own of the whole attempt. parent: n of the reading that this one is
-- a run of. A measurement with a text is a fact.
CREATE TABLE reading(id INTEGER PRIMARY KEY, attempt INTEGER NOT NULL REFERENCES attempt, n INTEGER NOT NULL, part
    INTEGER, parent INTEGER, tool TEXT, status TEXT NOT NULL, reason TEXT, UNIQUE(attempt, n)) STRICT;
CREATE TABLE measurement(reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE, n INTEGER NOT NULL, metric
    INTEGER, subject INTEGER, at INTEGER, value REAL, text TEXT, unit INTEGER, PRIMARY KEY(reading, n)) STRICT,
    WITHOUT ROWID;
CREATE TABLE finding(reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE, n INTEGER NOT NULL, code INTEGER
    REFERENCES word, subject INTEGER REFERENCES word, severity TEXT NOT NULL, text TEXT, PRIMARY KEY(reading, n))
    STRICT, WITHOUT ROWID;
CREATE TABLE judgement(id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, run INTEGER NOT NULL REFERENCES run,
    baselines TEXT) STRICT;
CREATE INDEX judgement_run ON judgement(run);
CREATE TABLE outcome(judgement INTEGER NOT NULL REFERENCES judgement, step INTEGER NOT NULL, slot INTEGER NOT NULL,
    word TEXT NOT NULL, cause TEXT, remedy INTEGER, measured TEXT, value REAL, limit_text INTEGER, gate INTEGER,
    source INTEGER, status INTEGER, remark INTEGER NOT NULL, PRIMARY KEY(judgement, step, slot)) STRICT, WITHOUT
    ROWID;
CREATE TABLE verdict(judgement INTEGER NOT NULL REFERENCES judgement, n INTEGER NOT NULL, scope TEXT, name TEXT,
    word TEXT NOT NULL, pass INTEGER NOT NULL, fail INTEGER NOT NULL, inconclusive INTEGER NOT NULL, not_run INTEGER
    NOT NULL, recorded INTEGER NOT NULL, PRIMARY KEY(judgement, n)) STRICT, WITHOUT ROWID;
