-- +goose Up
-- When an integration receives no notifications. Deliveries that are created then are due when the quiet hours end.
ALTER TABLE integrations ADD COLUMN quiet_hours text NOT NULL DEFAULT '';    -- JSON of sett.QuietHours; '' : none
ALTER TABLE deliveries ADD COLUMN quiet_until bigint NOT NULL DEFAULT 0;     -- the end of the quiet hours that it waits for, or did; 0: none

-- They are sent together, in a flood window of their own that begins when the quiet hours end.
CREATE TABLE flood_windows (
    receiver   text NOT NULL,
    quiet      boolean NOT NULL DEFAULT false,
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    began_at   bigint NOT NULL,
    sent       bigint NOT NULL,
    held       bigint NOT NULL, -- that the summary at the window's end is to tell of
    PRIMARY KEY (receiver, quiet)
);
INSERT INTO flood_windows (receiver, quiet, project_id, began_at, sent, held) SELECT receiver, false, project_id, began_at, sent, held FROM floods;
DROP TABLE floods;
ALTER TABLE flood_windows RENAME TO floods;
CREATE INDEX floods_by_project ON floods (project_id);
