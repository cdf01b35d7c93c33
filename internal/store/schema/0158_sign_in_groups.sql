-- +goose Up
-- Groups and people that an account knows by sign-ins with its identity provider (SAML), while no directory sends them by SCIM.
ALTER TABLE directories ADD COLUMN group_attribute text NOT NULL DEFAULT '';         -- in which an assertion has groups; '' : known names
ALTER TABLE directory_people ADD COLUMN signed_in boolean NOT NULL DEFAULT false; -- known by a sign-in, not by SCIM
ALTER TABLE directory_groups ADD COLUMN signed_in boolean NOT NULL DEFAULT false; -- likewise
