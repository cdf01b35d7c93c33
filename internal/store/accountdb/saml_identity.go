package accountdb

// samlIssuer and the id of an account are the issuer of identities that the account's identity provider asserts, whatever it calls itself: no
// provider can speak for another one.
const samlIssuer = "saml:"

// SAMLIssuer returns the issuer of the identities of an account's identity provider.
func SAMLIssuer(accountID string) string { return samlIssuer + accountID }
