-- +goose Up
-- What pages read in one look: how many faults are in which state, and which of them are new.
CREATE INDEX faults_by_state ON faults (project_id, resolved, ignored, created_at, environment);

-- What happened in a project, the newest first, without a look at all that ever did. A fault never changes its project.
ALTER TABLE comments ADD COLUMN project_id bigint NOT NULL DEFAULT 0;
UPDATE comments SET project_id = (SELECT f.project_id FROM faults f WHERE f.id = comments.fault_id);
CREATE INDEX comments_told ON comments (project_id, created_at, id) WHERE event IN ('resolved', 'reopened');
CREATE INDEX outages_by_end ON outages (site_id, up_at, id) WHERE up_at > 0;
CREATE INDEX check_in_turns_by_time ON check_in_turns (check_in, at, id);
