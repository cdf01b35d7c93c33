-- +goose Up
-- Pages count and list the open faults of a user: the index alone contains their number.
DROP INDEX faults_by_assignee;
CREATE INDEX faults_by_assignee ON faults (assignee_id, project_id, resolved, ignored, environment) WHERE assignee_id IS NOT NULL;
