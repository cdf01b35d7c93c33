-- +goose Up
-- With this key identity providers encrypt assertions for sett: PEM of the private key and its certificate, encrypted. '' : not made yet.
ALTER TABLE directories ADD COLUMN saml_key text NOT NULL DEFAULT '';
