-- +goose Up
-- Work that touches many rows. It is done in pieces, each a transaction, and what a dead process has left goes on: see store/work.
CREATE TABLE pending_work (
    id         {{identity}},
    kind       text NOT NULL,   -- work.Kind
    project_id bigint NOT NULL, -- 0: of no project; it may outlive its project
    body       text NOT NULL,   -- JSON: what is to be done, and how far it is
    due_at     bigint NOT NULL  -- who added it does the first pieces until then
);
CREATE INDEX pending_work_by_project ON pending_work (project_id, kind);

-- The rows that it touches, if they were selected beforehand. A lot is deleted in the transaction that does it.
CREATE TABLE pending_lots (
    work_id bigint NOT NULL REFERENCES pending_work ON DELETE CASCADE,
    number  bigint NOT NULL,
    many    bigint NOT NULL,
    ids     text NOT NULL,   -- with commas between
    PRIMARY KEY (work_id, number)
);

-- A project that is being deleted is not shown. Only one whose deletion was cut off has no keys.
ALTER TABLE projects ADD COLUMN deleting boolean NOT NULL DEFAULT false;
UPDATE projects SET deleting = true, disable_public_links = true WHERE NOT active AND NOT EXISTS (SELECT 1 FROM project_keys k WHERE k.project_id = projects.id);
INSERT INTO pending_work (kind, project_id, body, due_at) SELECT 'delete project', id, '{}', 0 FROM projects WHERE deleting;

-- Deletions that an earlier version has begun.
INSERT INTO pending_work (kind, project_id, body, due_at)
SELECT DISTINCT 'change faults', project_id, '{"change":{"action":"delete"}}', 0 FROM fault_graves WHERE NOT taken;
INSERT INTO pending_lots (work_id, number, many, ids)
SELECT w.id, g.fault_id, 1, CAST(g.fault_id AS text) FROM fault_graves g JOIN pending_work w ON w.project_id = g.project_id AND w.kind = 'change faults' WHERE NOT g.taken;
DROP INDEX fault_graves_open;
DELETE FROM fault_graves WHERE NOT taken;
ALTER TABLE fault_graves DROP COLUMN taken;
INSERT INTO pending_work (kind, project_id, body, due_at)
SELECT 'delete sites', 0, '{"sites":[' || site_id || ']}', 0 FROM site_graves WHERE NOT swept;
