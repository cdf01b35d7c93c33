-- +goose Up
-- How many requests each user has made to the management interface in their running window. On SQLite the process that
-- serves counts in memory and writes here a little later; see rate_window.go.
CREATE TABLE rate_windows (
    user_id  bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    reset_at bigint NOT NULL, -- the end of the window
    used     bigint NOT NULL
) {{clustered}};
