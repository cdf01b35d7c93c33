-- +goose Up
-- What a user is to do, for when they leave the account.
CREATE INDEX faults_by_assignee ON faults (assignee_id) WHERE assignee_id IS NOT NULL;
