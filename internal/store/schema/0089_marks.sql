-- +goose Up
-- Facets have marks that say what they leave out (internal/payload/mark.go), and blocks the marks of their notices, each between blanks: NULL for those
-- of earlier versions, which are rewritten.
ALTER TABLE blocks ADD COLUMN marks text;
UPDATE blocks SET rewrites = true;

-- Bundles without a filter are opened. Those of earlier versions do not know of marks.
DELETE FROM bundle_filters;
