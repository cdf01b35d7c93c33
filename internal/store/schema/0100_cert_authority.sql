-- +goose Up
-- The name of the certificate of a site that ends first, where it is an authority's; '': the site's own.
ALTER TABLE site_states ADD COLUMN cert_authority text NOT NULL DEFAULT '';
