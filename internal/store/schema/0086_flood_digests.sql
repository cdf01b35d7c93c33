-- +goose Up
-- Held messages about sites and check-ins are listed in a message soon after; see sett.Flood.
ALTER TABLE floods ADD COLUMN digest_at bigint NOT NULL DEFAULT 0; -- 0: there is nothing to list
ALTER TABLE floods ADD COLUMN digests bigint NOT NULL DEFAULT 0;   -- sent in the window
ALTER TABLE floods ADD COLUMN listed bigint NOT NULL DEFAULT 0;    -- the newest delivery that was listed
CREATE INDEX deliveries_held ON deliveries (receiver, id) WHERE state = 'held';
