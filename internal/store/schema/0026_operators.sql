-- +goose Up
-- Who runs the server sees the pages about it. The first owner does; sett user operator says who else.
ALTER TABLE users ADD COLUMN operator boolean NOT NULL DEFAULT false;
UPDATE users SET operator = true WHERE id = (SELECT user_id FROM memberships WHERE role = 'Owner' ORDER BY created_at, user_id LIMIT 1);
