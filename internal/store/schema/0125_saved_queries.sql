-- +goose Up
-- Saved searches are of errors, or questions about structured events with their period and view.
ALTER TABLE saved_searches ADD COLUMN place text NOT NULL DEFAULT 'errors'; -- or 'insights'
ALTER TABLE saved_searches ADD COLUMN period text NOT NULL DEFAULT ''; -- as the page of structured events takes it
ALTER TABLE saved_searches ADD COLUMN view text NOT NULL DEFAULT '';   -- of its result
