-- +goose Up
-- Whether a status page shows the response times of its sites.
ALTER TABLE status_pages ADD COLUMN response_times boolean NOT NULL DEFAULT false;
