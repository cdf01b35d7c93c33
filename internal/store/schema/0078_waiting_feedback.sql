-- +goose Up
-- Feedback about an event that is not stored. See internal/store/fault/waiting_feedback.go.
CREATE TABLE waiting_feedback (
    id          {{identity}},
    project_id  bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    event       bytea NOT NULL,  -- the client's id of the event
    feedback    bytea NOT NULL,  -- the feedback's own id
    content     bytea NOT NULL,  -- what package ingest makes of it, without what the rules of the project remove
    due_at      bigint NOT NULL, -- when it becomes an event of its own; 0: it is one
    ends_at     bigint NOT NULL  -- until when it may become a comment
);
CREATE UNIQUE INDEX waiting_feedback_by_id ON waiting_feedback (project_id, feedback, event);
CREATE INDEX waiting_feedback_due ON waiting_feedback (due_at) WHERE due_at > 0;

ALTER TABLE comments ADD COLUMN feedback bytea; -- the id of the feedback that it is; NULL: none, or of an earlier version
