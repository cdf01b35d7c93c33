-- +goose Up
-- What an API key may do: 'all', or 'notices' alone.
ALTER TABLE project_keys ADD COLUMN scope text NOT NULL DEFAULT 'all';

-- How many open faults of each environment are new, without a look at those of the others.
CREATE INDEX faults_by_environment ON faults (project_id, environment, resolved, ignored, created_at);
