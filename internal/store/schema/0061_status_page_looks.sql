-- +goose Up
-- How a status page looks: its language ('' : that of each visitor), its logo (JSON of status.StatusLogo; '' : none), and the groups of
-- its components ('' : none).
ALTER TABLE status_pages ADD COLUMN language text NOT NULL DEFAULT '';
ALTER TABLE status_pages ADD COLUMN logo text NOT NULL DEFAULT '';
ALTER TABLE status_components ADD COLUMN group_name text NOT NULL DEFAULT '';

-- The pictures themselves, so that they are not read and written with everything that changes a page.
CREATE TABLE status_logos (
    page bigint NOT NULL PRIMARY KEY REFERENCES status_pages ON DELETE CASCADE,
    body bytea NOT NULL
);
