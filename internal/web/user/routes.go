// Package user contains the pages of a user's own account: the ways to sign in, and personal settings. It receives forms with
// passwords, codes and passkeys, and creates sessions and redirects. Its responses and their timing do not reveal whether an
// email address is registered, and it never shows a secret twice.
package user

import (
	"embed"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/serve/oauth"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

//go:embed page/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct{ *web.Pages }

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{frame}
	return web.Area{Routes: p.routes(), Templates: templates, Foreign: []string{unsubscribeRoute, samlResponseRoute}, Done: doneTexts}
}

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return []serve.Route{
		web.Get("/login", "loginPage", accounts.Public, p.loginPage, "The sign-in page."),
		web.Post("/login", "login", accounts.Public, p.login, "Sign in."),
		web.Get("/login/2fa", "loginCodePage", accounts.Public, p.loginCodePage, "The form for the second factor."),
		web.Post("/login/2fa", "loginCode", accounts.Public, p.loginCode, "Sign in with the second factor."),
		web.Get("/login/passkey", "passkeyLoginPage", accounts.Public, p.passkeyLoginPage, "Sign in with a passkey."),
		web.Post("/login/passkey/options", "askForPasskey", accounts.Public, p.askForPasskey, "The options for the page's script."),
		web.Post("/login/passkey", "passkeyLogin", accounts.Public, p.passkeyLogin, "Sign in with the passkey of the device."),
		web.Post("/auth/oidc", "beginOIDC", accounts.Public, p.beginOIDC, "Go to the issuer to sign in."),
		web.Get(auth.OIDCCallback, "oidcCallback", accounts.Public, p.oidcCallback, "The return from the issuer."),
		web.Get("/auth/oidc/connect", "oidcConnectPage", accounts.SignedIn, p.oidcConnectPage, "The form to connect an identity."),
		web.Post("/auth/oidc/connect", "connectOIDC", accounts.SignedIn, p.connectOIDC, "Connect the identity."),
		web.Get("/auth/saml", "samlPage", accounts.Public, p.samlPage, "The form to find the single sign-on of an account."),
		web.Post("/auth/saml", "findSAML", accounts.Public, p.findSAML, "Find the single sign-on of an account by an email address."),
		beginsSAML(web.Get("/auth/saml/{account_id}", "beginSAML", accounts.Public, p.beginSAML, "Go to the identity provider of an account to sign in.")),
		web.Post("/auth/saml/{account_id}/acs", samlResponseRoute, accounts.Public, p.samlResponse, "The response of the identity provider."),
		beginsSAML(web.Get("/auth/saml/{account_id}/done", "finishSAML", accounts.Public, p.finishSAML, "The end of the sign-in with the identity provider.")),
		web.Get("/auth/saml/{account_id}/metadata", "samlMetadata", accounts.Public, p.samlMetadata, "The metadata of this server for the identity provider."),
		web.Get("/login/required", "signOnPage", accounts.SignedIn, p.signOnPage, "The way to the single sign-on that an account requires."),
		web.Post("/logout", "logout", accounts.SignedIn, p.logout, "Sign out."),
		web.Get("/forgot", "forgotPage", accounts.Public, p.forgotPage, "The form to request a new password."),
		web.Post("/forgot", "forgot", accounts.Public, p.forgot, "Send the email for a new password."),
		web.Get("/reset/{token}", "resetPage", accounts.Public, p.resetPage, "The form for a new password."),
		web.Post("/reset/{token}", "reset", accounts.Public, p.reset, "Set the new password."),
		web.Get("/invitations/{token}", "invitationPage", accounts.Public, p.invitationPage, "An invitation."),
		web.Post("/invitations/{token}", "acceptInvitation", accounts.Public, p.acceptInvitation, "Accept an invitation."),

		web.Get("/unsubscribe/{token}", "unsubscribePage", accounts.Public, p.unsubscribePage, "The form to unsubscribe from emails."),
		web.Post("/unsubscribe/{token}", unsubscribeRoute, accounts.Public, p.unsubscribe, "Unsubscribe, also with one click in a mail program."),

		web.Get("/me/profile", "profile", accounts.SignedIn, p.profile, "Your profile."),
		web.Post("/me/profile", "renameUser", accounts.SignedIn, p.rename, "Change your name."),
		web.Get("/me/appearance", "appearancePage", accounts.SignedIn, p.appearance, "Choose a theme and a time zone."),
		web.Post("/me/appearance", "chooseZone", accounts.SignedIn, p.chooseZone, "Choose your time zone."),
		web.Get("/me/alerts", "alertsPage", accounts.SignedIn, p.alertsPage, "Your emails about projects."),
		web.Get("/me/alerts/{project_id}", "alertFormPage", accounts.SignedIn, p.alertFormPage, "The form of your emails about a project."),
		web.Post("/me/alerts/{project_id}", "changeAlerts", accounts.SignedIn, p.changeAlerts, "Save your emails about a project."),
		web.Get("/me/security", "securityPage", accounts.SignedIn, p.securityPage, "Password and second factor."),
		web.Post("/me/security/password", "changePassword", accounts.SignedIn, p.changePassword, "Change your password."),
		web.Post("/me/security/totp", "proposeFactor", accounts.SignedIn, p.proposeFactor, "Start to set up the second factor."),
		web.Get("/me/security/totp", "factorPage", accounts.SignedIn, p.factorPage, "The secret for an authenticator app."),
		web.Post("/me/security/totp/confirm", "confirmFactor", accounts.SignedIn, p.confirmFactor, "Turn the second factor on."),
		web.Post("/me/security/totp/off", "dropFactor", accounts.SignedIn, p.dropFactor, "Turn the second factor off."),
		web.Post("/me/security/recovery_codes", "renewCodes", accounts.SignedIn, p.renewCodes, "Create new recovery codes."),
		web.Get("/me/security/passkeys", "passkeyPage", accounts.SignedIn, p.passkeyPage, "The form for a new passkey."),
		web.Post("/me/security/passkeys/options", "proposePasskey", accounts.SignedIn, p.proposePasskey, "The options for the page's script."),
		web.Post("/me/security/passkeys", "addPasskey", accounts.SignedIn, p.addPasskey, "Add the passkey of the device."),
		web.Post("/me/security/passkeys/{passkey_id}/remove", "removePasskey", accounts.SignedIn, p.removePasskey, "Remove a passkey."),
		web.Get("/me/sessions", "sessionsPage", accounts.SignedIn, p.sessionsPage, "Browsers that are signed in."),
		web.Post("/me/sessions/others/end", "endOtherSessions", accounts.SignedIn, p.endOtherSessions, "Sign out everywhere else."),
		web.Post("/me/sessions/{session_id}/end", "endSession", accounts.SignedIn, p.endSession, "Sign out of one browser."),
		web.Get("/me/tokens", "tokensPage", accounts.SignedIn, p.tokensPage, "Personal tokens."),
		web.Post("/me/tokens", "makeToken", accounts.SignedIn, p.makeToken, "Create a token."),
		web.Get(oauth.AuthorizePath, "authorizePage", accounts.SignedIn, p.authorizePage, "What a program asks you for."),
		web.Post(oauth.AuthorizePath, "answerProgram", accounts.SignedIn, p.answerProgram, "Allow a program to use sett for you, or refuse it."),
		web.Get(oauth.DevicePath, "devicePage", accounts.SignedIn, p.devicePage, "The form for the code of sett login."),
		web.Post(oauth.DevicePath, "answerDevice", accounts.SignedIn, p.answerDevice, "Sign a command line in, or refuse it."),
		web.Post("/me/tokens/{token_id}/revoke", "revokeToken", accounts.SignedIn, p.revokeToken, "Revoke a token."),
	}
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"alerts":          "Saved.",
	"asked":           "If an account uses this address, we have sent a link. It works for one hour. You can request at most 5 links an hour.",
	"connect":         "A user with your address already exists. If it is you, sign in another way this time to connect the two.",
	"connected":       "Single sign-on connected.",
	"device_allowed":  "Allowed. Your command line is signed in within seconds.",
	"device_denied":   "Not allowed. The command line ends its sign-in.",
	"ended":           "The browser was signed out.",
	"factor_off":      "Second factor turned off.",
	"joined":          "Invitation accepted.",
	"others":          "All other browsers were signed out.",
	"passkey_added":   "Passkey added. You can now sign in with it.",
	"passkey_removed": "Passkey removed. Your device may still show it; delete it there as well.",
	"password":        "Password changed. All other browsers were signed out.",
	"reset":           "Password changed. Sign in with your new password.",
	"revoked":         "Token revoked.",
	"signed_out":      "You are signed out.",
}
