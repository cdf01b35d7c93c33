-- +goose Up
-- Faults that were merged into others. Their rows leave faults, so that nothing which lists faults meets them, and come
-- back as they were when they are split off. What is counted by fingerprint – notices, buckets, users – stays under their
-- ids permanently: a reader of a fault includes its parts. The counts of a fault hold those of its parts.
CREATE TABLE merged_faults (
    id                {{key}},         -- of the fault that it was and can be again
    into_id           bigint NOT NULL REFERENCES faults ON DELETE CASCADE,
    project_id        bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    key               bytea NOT NULL,
    environment       text NOT NULL,
    class             text NOT NULL,
    component         text NOT NULL,
    action            text NOT NULL,
    message           text NOT NULL,
    tags              text NOT NULL,
    grouping_inputs   text NOT NULL,
    created_at        bigint NOT NULL,
    resolved          boolean NOT NULL,
    ignored           boolean NOT NULL,
    resolve_on_deploy boolean NOT NULL,
    assignee_id       bigint,
    paused_until      bigint NOT NULL,
    paused_count      bigint NOT NULL,
    notices_count     bigint NOT NULL, -- of its own fingerprint, with those that came since
    last_notice_at    bigint NOT NULL, -- the same
    awaited_count     bigint NOT NULL, -- fault_counts.paused_count
    resumes_at        bigint NOT NULL,
    merged_at         bigint NOT NULL,
    merged_by         bigint NOT NULL,
    UNIQUE (project_id, key)
);
CREATE INDEX merged_faults_by_survivor ON merged_faults (into_id, id);

-- The links of merged faults wait for them: a fault has one issue a tracker.
CREATE TABLE merged_links (
    fault_id       bigint NOT NULL REFERENCES merged_faults ON DELETE CASCADE,
    integration_id bigint NOT NULL REFERENCES integrations ON DELETE CASCADE,
    data           text NOT NULL,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    PRIMARY KEY (fault_id, integration_id)
);
CREATE INDEX merged_links_by_integration ON merged_links (integration_id);

-- The merged fault that a comment came with, and goes back with; 0: it was written about this one.
ALTER TABLE comments ADD COLUMN part_id bigint NOT NULL DEFAULT 0;
