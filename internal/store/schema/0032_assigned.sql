-- +goose Up
-- Pages count somebody's open faults and list them: how many there are is in the index alone.
DROP INDEX faults_by_assignee;
CREATE INDEX faults_by_assignee ON faults (assignee_id, project_id, resolved, ignored, environment) WHERE assignee_id IS NOT NULL;
