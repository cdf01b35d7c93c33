-- +goose Up
-- Timelines and lists ask what was reopened, or resolved, and by which fault: that is all in the index, in its order.
DROP INDEX comments_told;
CREATE INDEX comments_told ON comments (project_id, event, created_at, id, fault_id) WHERE event IN ('resolved', 'reopened');
