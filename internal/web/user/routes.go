// Package user contains the pages of a user's own account: the ways to sign in, and personal settings. It receives forms with
// passwords, codes and passkeys, and creates sessions and redirects. Its responses and their timing do not reveal whether an
// email address is registered, and it never shows a secret twice.
package user

import (
	"embed"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/web"
)

//go:embed page/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct{ *web.Pages }

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{frame}
	return web.Area{Routes: p.routes(), Templates: templates, Foreign: []string{unsubscribeRoute}, Done: doneTexts}
}

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return []serve.Route{
		web.Get("/login", "loginPage", sett.Public, p.loginPage, "The sign-in page."),
		web.Post("/login", "login", sett.Public, p.login, "Sign in."),
		web.Get("/login/2fa", "loginCodePage", sett.Public, p.loginCodePage, "The form for the second factor."),
		web.Post("/login/2fa", "loginCode", sett.Public, p.loginCode, "Sign in with the second factor."),
		web.Get("/login/passkey", "passkeyLoginPage", sett.Public, p.passkeyLoginPage, "Sign in with a passkey."),
		web.Post("/login/passkey/options", "askForPasskey", sett.Public, p.askForPasskey, "The options for the page's script."),
		web.Post("/login/passkey", "passkeyLogin", sett.Public, p.passkeyLogin, "Sign in with the passkey of the device."),
		web.Post("/auth/oidc", "beginOIDC", sett.Public, p.beginOIDC, "Go to the issuer to sign in."),
		web.Get(auth.OIDCCallback, "oidcCallback", sett.Public, p.oidcCallback, "The return from the issuer."),
		web.Get("/auth/oidc/connect", "oidcConnectPage", sett.SignedIn, p.oidcConnectPage, "The form to connect an identity."),
		web.Post("/auth/oidc/connect", "connectOIDC", sett.SignedIn, p.connectOIDC, "Connect the identity."),
		web.Post("/logout", "logout", sett.SignedIn, p.logout, "Sign out."),
		web.Get("/forgot", "forgotPage", sett.Public, p.forgotPage, "The form to request a new password."),
		web.Post("/forgot", "forgot", sett.Public, p.forgot, "Send the email for a new password."),
		web.Get("/reset/{token}", "resetPage", sett.Public, p.resetPage, "The form for a new password."),
		web.Post("/reset/{token}", "reset", sett.Public, p.reset, "Set the new password."),
		web.Get("/invitations/{token}", "invitationPage", sett.Public, p.invitationPage, "An invitation."),
		web.Post("/invitations/{token}", "acceptInvitation", sett.Public, p.acceptInvitation, "Accept an invitation."),

		web.Get("/unsubscribe/{token}", "unsubscribePage", sett.Public, p.unsubscribePage, "The form to unsubscribe from emails."),
		web.Post("/unsubscribe/{token}", unsubscribeRoute, sett.Public, p.unsubscribe, "Unsubscribe, also with one click in a mail program."),

		web.Get("/me/profile", "profile", sett.SignedIn, p.profile, "Your profile."),
		web.Post("/me/profile", "renameUser", sett.SignedIn, p.rename, "Change your name."),
		web.Get("/me/appearance", "appearancePage", sett.SignedIn, p.appearance, "Choose a theme and a time zone."),
		web.Post("/me/appearance", "chooseZone", sett.SignedIn, p.chooseZone, "Choose your time zone."),
		web.Get("/me/alerts", "alertsPage", sett.SignedIn, p.alertsPage, "Your emails about projects."),
		web.Get("/me/alerts/{project_id}", "alertFormPage", sett.SignedIn, p.alertFormPage, "The form of your emails about a project."),
		web.Post("/me/alerts/{project_id}", "changeAlerts", sett.SignedIn, p.changeAlerts, "Save your emails about a project."),
		web.Get("/me/security", "securityPage", sett.SignedIn, p.securityPage, "Password and second factor."),
		web.Post("/me/security/password", "changePassword", sett.SignedIn, p.changePassword, "Change your password."),
		web.Post("/me/security/totp", "proposeFactor", sett.SignedIn, p.proposeFactor, "Start to set up the second factor."),
		web.Get("/me/security/totp", "factorPage", sett.SignedIn, p.factorPage, "The secret for an authenticator app."),
		web.Post("/me/security/totp/confirm", "confirmFactor", sett.SignedIn, p.confirmFactor, "Turn the second factor on."),
		web.Post("/me/security/totp/off", "dropFactor", sett.SignedIn, p.dropFactor, "Turn the second factor off."),
		web.Post("/me/security/recovery_codes", "renewCodes", sett.SignedIn, p.renewCodes, "Create new recovery codes."),
		web.Get("/me/security/passkeys", "passkeyPage", sett.SignedIn, p.passkeyPage, "The form for a new passkey."),
		web.Post("/me/security/passkeys/options", "proposePasskey", sett.SignedIn, p.proposePasskey, "The options for the page's script."),
		web.Post("/me/security/passkeys", "addPasskey", sett.SignedIn, p.addPasskey, "Add the passkey of the device."),
		web.Post("/me/security/passkeys/{passkey_id}/remove", "removePasskey", sett.SignedIn, p.removePasskey, "Remove a passkey."),
		web.Get("/me/sessions", "sessionsPage", sett.SignedIn, p.sessionsPage, "Browsers that are signed in."),
		web.Post("/me/sessions/others/end", "endOtherSessions", sett.SignedIn, p.endOtherSessions, "Sign out everywhere else."),
		web.Post("/me/sessions/{session_id}/end", "endSession", sett.SignedIn, p.endSession, "Sign out of one browser."),
		web.Get("/me/tokens", "tokensPage", sett.SignedIn, p.tokensPage, "Personal tokens."),
		web.Post("/me/tokens", "makeToken", sett.SignedIn, p.makeToken, "Create a token."),
		web.Post("/me/tokens/{token_id}/revoke", "revokeToken", sett.SignedIn, p.revokeToken, "Revoke a token."),
	}
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"alerts":          "Saved.",
	"asked":           "If an account uses this address, we have sent a link to it. The link sets a new password and works for one hour. An address gets at most 5 such mails an hour.",
	"connect":         "A user with your address already exists. If it is you, sign in another way this time to connect the two.",
	"connected":       "Single sign-on connected.",
	"ended":           "The browser was signed out.",
	"factor_off":      "Second factor turned off.",
	"joined":          "You have joined.",
	"others":          "All other browsers were signed out.",
	"passkey_added":   "Passkey added. You can now sign in with it.",
	"passkey_removed": "Passkey removed. Your device may still show it; delete it there as well.",
	"password":        "Password changed. All other browsers were signed out.",
	"reset":           "Password changed. Sign in with your new password.",
	"revoked":         "Token revoked.",
	"signed_out":      "You are signed out.",
}
