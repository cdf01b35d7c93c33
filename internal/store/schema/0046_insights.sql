-- +goose Up
-- Structured events ("Insights") as they were received, some of a project together; see store/insight. A row goes when its events are in a
-- chunk.
CREATE TABLE insight_batches (
    id          {{identity}},
    project_id  bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    received_at bigint NOT NULL,
    first_at    bigint NOT NULL, -- times of the first and last of its events
    last_at     bigint NOT NULL,
    count       bigint NOT NULL, -- events
    body        bytea NOT NULL
);
CREATE INDEX insight_batches_of_project ON insight_batches (project_id, id, received_at, count);

-- Some thousand events of a project each, by column, in the order of their times.
CREATE TABLE insight_chunks (
    id         {{identity}},
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    first_at   bigint NOT NULL,
    last_at    bigint NOT NULL,
    count      bigint NOT NULL,
    bytes      bigint NOT NULL, -- that it takes, with the tables below
    times      bytea NOT NULL   -- of its events
);
CREATE INDEX insight_chunks_of_project ON insight_chunks (project_id, last_at, first_at, count);
CREATE INDEX insight_chunks_by_age ON insight_chunks (last_at);

-- What a chunk may contain.
CREATE TABLE insight_filters (
    project_id bigint NOT NULL,
    number     bigint NOT NULL, -- by the hash of keys
    chunk_id   bigint NOT NULL REFERENCES insight_chunks ON DELETE CASCADE,
    body       bytea NOT NULL,
    PRIMARY KEY (project_id, number, chunk_id)
) {{clustered}};
CREATE INDEX insight_filters_of_chunk ON insight_filters (chunk_id);

CREATE TABLE insight_parts (
    chunk_id bigint NOT NULL REFERENCES insight_chunks ON DELETE CASCADE,
    number   bigint NOT NULL, -- by the hash of keys
    body     bytea NOT NULL,
    PRIMARY KEY (chunk_id, number)
);

-- How much a project sent on a day, UTC.
CREATE TABLE insight_days (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    day        bigint NOT NULL, -- its start
    events     bigint NOT NULL,
    bytes      bigint NOT NULL, -- of the events as JSON
    refused    bigint NOT NULL, -- events beyond the limit
    PRIMARY KEY (project_id, day)
) {{clustered}};
{{insights are compressed}}
