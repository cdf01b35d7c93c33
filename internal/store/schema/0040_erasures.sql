-- +goose Up
-- Erasures of affected users. What names the user is kept, encrypted, until their notices are deleted, and a masked form of it for good.
CREATE TABLE erasures (
    id          {{identity}},
    project_id  bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    shown       text NOT NULL,   -- sett.MaskedUser
    subject     text NOT NULL,   -- encrypted; '' once the notices are deleted
    before_id   bigint NOT NULL, -- notices before this id are erased
    notices     bigint NOT NULL, -- deleted so far
    faults      bigint NOT NULL, -- that they belong to
    remaining   bigint NOT NULL, -- notices that were found and are not deleted yet
    made_by     bigint,          -- a user who may be gone; NULL: an operator
    created_at  bigint NOT NULL,
    deleted_at  bigint NOT NULL, -- 0: notices are left
    finished_at bigint NOT NULL  -- 0: blocks may contain deleted notices
);
CREATE INDEX erasures_by_project ON erasures (project_id, id);
CREATE INDEX erasures_open ON erasures (id) WHERE finished_at = 0;
