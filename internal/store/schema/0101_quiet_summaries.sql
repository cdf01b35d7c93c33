-- +goose Up
-- Whether a held message is to be named in the summary after quiet hours.
ALTER TABLE deliveries ADD COLUMN held_quietly boolean NOT NULL DEFAULT false;
CREATE INDEX deliveries_held_quietly ON deliveries (receiver, id) WHERE held_quietly;
