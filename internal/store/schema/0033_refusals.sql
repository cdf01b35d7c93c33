-- +goose Up
-- Notices that left no row behind, by how they ended and by the node that took them: no node waits for the row of another.
-- What the ledger had of them before this stays there.
CREATE TABLE refusals (
    account_id text NOT NULL,
    day        bigint NOT NULL, -- microseconds of UTC midnight
    project_id bigint NOT NULL,
    node       bigint NOT NULL, -- -1 on SQLite
    ignored    bigint NOT NULL,
    limited    bigint NOT NULL,
    invalid    bigint NOT NULL,
    PRIMARY KEY (account_id, day, project_id, node)
) {{clustered}};

-- Whether a node gives out only ids that table digests does not take for counted. Earlier versions did not.
ALTER TABLE nodes ADD COLUMN sound boolean NOT NULL DEFAULT false;

-- How far notices were looked at that earlier versions did not count; see missed.go. It has one row, with the id 0.
CREATE TABLE missed_notices (
    id        {{key}},
    looked_at bigint NOT NULL, -- every notice up to this one
    upto      bigint NOT NULL  -- later ones are those of sound nodes
);
