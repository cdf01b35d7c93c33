-- +goose Up
-- What ends the pause of a merged fault before its time, as in pause_conditions, for when it is split off; pause_since 0: nothing.
ALTER TABLE merged_faults ADD COLUMN pause_users bigint NOT NULL DEFAULT 0;
ALTER TABLE merged_faults ADD COLUMN pause_users_before bigint NOT NULL DEFAULT 0;
ALTER TABLE merged_faults ADD COLUMN pause_notices bigint NOT NULL DEFAULT 0;
ALTER TABLE merged_faults ADD COLUMN pause_per bigint NOT NULL DEFAULT 0;
ALTER TABLE merged_faults ADD COLUMN pause_since bigint NOT NULL DEFAULT 0;
ALTER TABLE merged_faults ADD COLUMN pause_by bigint NOT NULL DEFAULT 0;

-- What sett wrote on status pages, as facts (status.Facts) that are read in the language of a page; '': a user wrote it.
ALTER TABLE status_incidents ADD COLUMN facts text NOT NULL DEFAULT '';
ALTER TABLE status_updates ADD COLUMN facts text NOT NULL DEFAULT '';
