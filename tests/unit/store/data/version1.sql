-- A trial log of format 1, as written by the first release: never edited.
PRAGMA application_id=1466004080;
PRAGMA user_version=1;
BEGIN TRANSACTION;
CREATE TABLE artifact (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    trial_id INTEGER REFERENCES trial (id),
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;
INSERT INTO "artifact" VALUES(1,1,1,'ptx',4,X'28B52FFD200421000074657874');
CREATE TABLE device (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    facts TEXT NOT NULL,
    UNIQUE (uuid, facts)
) STRICT;
INSERT INTO "device" VALUES(1,'CPU-1','A processor','cpu','{"uuid":"CPU-1","name":"A processor","kind":"cpu","cores":2}');
CREATE TABLE diagnostic (
    id INTEGER PRIMARY KEY,
    trial_id INTEGER NOT NULL REFERENCES trial (id),
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
INSERT INTO "diagnostic" VALUES(1,1,'log','warning: unused variable ''x''
');
INSERT INTO "diagnostic" VALUES(2,2,'log','warning: unused variable ''x''
');
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    after_trial INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL
) STRICT;
INSERT INTO "event" VALUES(1,1,1,'2026-01-31T12:00:02.000Z','pin','{"TILE":16}');
CREATE TABLE kernel_version (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    path TEXT NOT NULL,
    entry TEXT NOT NULL,
    source TEXT NOT NULL,
    UNIQUE (hash, path, entry)
) STRICT;
INSERT INTO "kernel_version" VALUES(1,'03a549ca20aa912fe3442826edb0874d','/kernels/gemm/gemm.cu','gemm','__global__ void gemm() {}
// é 中');
CREATE TABLE metric (
    trial_id INTEGER NOT NULL REFERENCES trial (id),
    name TEXT NOT NULL,
    value REAL NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (trial_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "metric" VALUES(1,'compile/registers',32.0,'compiler');
INSERT INTO "metric" VALUES(1,'compile/spill_bytes',0.0,'compiler');
INSERT INTO "metric" VALUES(2,'compile/registers',32.0,'compiler');
INSERT INTO "metric" VALUES(2,'compile/spill_bytes',0.0,'compiler');
CREATE TABLE parameter (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    site TEXT NOT NULL,
    scale TEXT NOT NULL,
    label TEXT NOT NULL,
    effect TEXT NOT NULL,
    domain TEXT NOT NULL,
    default_value TEXT NOT NULL,
    UNIQUE (session_id, name)
) STRICT;
INSERT INTO "parameter" VALUES(1,1,0,'TILE','macro','log2','Tile','Edge of a tile','[8,16,32]','16');
INSERT INTO "parameter" VALUES(2,1,1,'ACC','macro','categorical','','','["fp16","fp32"]','"fp32"');
CREATE TABLE policy_snapshot (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    after_trial INTEGER NOT NULL,
    strategy TEXT NOT NULL,
    size INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;
INSERT INTO "policy_snapshot" VALUES(1,1,2,'ppo',7,X'28B52FFD200739000077656967687473');
CREATE TABLE rejection (
    session_id INTEGER NOT NULL REFERENCES session (id),
    after_trial INTEGER NOT NULL,
    constraint_id TEXT NOT NULL,
    sentence TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (session_id, after_trial, constraint_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "rejection" VALUES(1,1,'c1','fits',2);
INSERT INTO "rejection" VALUES(1,2,'c1','fits',2);
CREATE TABLE sample (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    trial_id INTEGER REFERENCES trial (id),
    event_id INTEGER REFERENCES event (id),
    position INTEGER NOT NULL,
    side TEXT NOT NULL CHECK (side IN ('baseline', 'candidate')),
    count INTEGER NOT NULL,
    values_ns BLOB NOT NULL
) STRICT;
INSERT INTO "sample" VALUES(1,1,1,NULL,0,'baseline',3,X'28B52FFD2018AD00006800000000008A934000858C934002002B292C7004');
INSERT INTO "sample" VALUES(2,1,1,NULL,0,'candidate',3,X'28B52FFD2018AD0000680000000000418F400038488F4002002B292C7004');
INSERT INTO "sample" VALUES(3,1,2,NULL,0,'baseline',3,X'28B52FFD2018AD00006800000000008A934000858C934002002B292C7004');
INSERT INTO "sample" VALUES(4,1,2,NULL,0,'candidate',3,X'28B52FFD2018AD0000680000000000418F400038488F4002002B292C7004');
CREATE TABLE session (
    id INTEGER PRIMARY KEY,
    kernel TEXT NOT NULL,
    title TEXT NOT NULL,
    spec_path TEXT NOT NULL,
    device_id INTEGER NOT NULL REFERENCES device (id),
    kernel_version_id INTEGER NOT NULL REFERENCES kernel_version (id),
    workload TEXT NOT NULL,
    strategy TEXT NOT NULL,
    objective TEXT NOT NULL,
    seed TEXT NOT NULL,
    budget_trials INTEGER NOT NULL,
    budget_seconds REAL NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('running', 'paused', 'finished', 'interrupted', 'failed')),
    sandbox TEXT NOT NULL,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    noise_floor REAL NOT NULL,
    spec TEXT NOT NULL,
    constraints TEXT NOT NULL,
    facts TEXT NOT NULL
) STRICT;
INSERT INTO "session" VALUES(1,'gemm','Matrix product','/kernels/gemm/gemm.json',1,1,'small','random','composite','18364758544493064720',40,12.5,'finished','bubblewrap','2026-01-31T12:00:00.000Z','2026-11-29T18:34:26.451Z',0.0125,'{"KernelSpecification":{},"Warpwright":{"Workloads":[{"Name":"tuned","Sizes":{"N":4096}},{"Name":"small","Sizes":{"N":256}}]}}','[{"id":"c1","sentence":"fits","text":"TILE <= 32"}]','{"version":"0.1.0"}');
CREATE TABLE trial (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    number INTEGER NOT NULL,
    config TEXT NOT NULL,
    status TEXT NOT NULL,
    verdict TEXT,
    time_ns INTEGER,
    time_low_ns REAL,
    time_high_ns REAL,
    ratio REAL,
    ratio_low REAL,
    ratio_high REAL,
    reward REAL,
    reward_speed REAL,
    reward_roof REAL,
    reward_correctness REAL,
    reward_formula TEXT NOT NULL,
    propose_ns INTEGER NOT NULL,
    compile_ns INTEGER NOT NULL,
    verify_ns INTEGER NOT NULL,
    bench_ns INTEGER NOT NULL,
    profile_ns INTEGER NOT NULL,
    store_ns INTEGER NOT NULL,
    message TEXT NOT NULL,
    origin TEXT NOT NULL,
    object_hash TEXT NOT NULL,
    shared_with INTEGER,
    compile_facts TEXT NOT NULL,
    policy TEXT NOT NULL,
    correctness TEXT NOT NULL,
    started_at TEXT NOT NULL,
    UNIQUE (session_id, number)
) STRICT;
INSERT INTO "trial" VALUES(1,1,1,'{"TILE":16,"ACC":"fp32","PAIR":[1,2],"FLAG":true}','ok','FASTER',1000,998.5,1002.5,1.25,1.2,1.3,0.975,1.25,0.5,1.0,'composite/1',1,2,3,4,5,6,'one line
and another','policy','0123456789abcdef',1,'{"registers":32,"spill_bytes":0,"constant_bytes":-1,"flags":"-O2"}','{"log_prob":-1.25}','[{"output":"c","pass":true}]','2026-01-31T12:00:01.000Z');
INSERT INTO "trial" VALUES(2,1,2,'{"TILE":16,"ACC":"fp32","PAIR":[1,2],"FLAG":true}','ok','FASTER',1000,998.5,1002.5,1.25,1.2,1.3,0.975,1.25,0.5,1.0,'composite/1',1,2,3,4,5,6,'one line
and another','policy','0123456789abcdef',1,'{"registers":32,"spill_bytes":0,"constant_bytes":-1,"flags":"-O2"}','{"log_prob":-1.25}','[{"output":"c","pass":true}]','2026-01-31T12:00:01.000Z');
CREATE TABLE workload (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES session (id),
    name TEXT NOT NULL,
    tuned INTEGER NOT NULL,
    definition TEXT NOT NULL,
    UNIQUE (session_id, name)
) STRICT;
INSERT INTO "workload" VALUES(1,1,'tuned',0,'{"Name":"tuned","Sizes":{"N":4096}}');
INSERT INTO "workload" VALUES(2,1,'small',1,'{"Name":"small","Sizes":{"N":256}}');
CREATE TRIGGER trial_is_final BEFORE UPDATE ON trial
BEGIN
    SELECT raise(ABORT, 'a row of trial is never changed');
END;
CREATE INDEX event_session ON event (session_id, kind);
CREATE INDEX sample_trial ON sample (trial_id);
CREATE INDEX sample_event ON sample (event_id);
CREATE INDEX diagnostic_trial ON diagnostic (trial_id);
CREATE INDEX artifact_trial ON artifact (trial_id);
CREATE INDEX policy_snapshot_session ON policy_snapshot (session_id, id);
COMMIT;
