-- +goose Up
-- Blocks have frames of version 2 from here on (internal/store/block/frame.go), which earlier versions of sett cannot read. No table changes.
SELECT 1;
