-- +goose Up
-- The faults that a user ignored in one action, so that it can be undone.
CREATE INDEX comments_ignored ON comments (project_id, created_at) WHERE event = 'ignored';

-- Faults that may have the same cause: those of the same class, and those that come from the same place in the app's code. The
-- place is the end of the inputs of a grouping by location, which no text of a client can look like: it is JSON.
CREATE INDEX faults_by_class ON faults (project_id, class, id);
CREATE INDEX faults_by_place ON faults (project_id, ({{place}}), id);
