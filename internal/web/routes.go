package web

import (
	"sett/internal/auth"
	"sett/internal/serve"
	"sett/internal/sett"
)

// Routes is every page and every form of this room.
func (p *Pages) Routes() []serve.Route {
	get, post := "GET", "POST"
	return []serve.Route{
		page(get, "/", "home", sett.SignedIn, p.home, "Where people begin."),
		page(get, "/s/{file}", staticRoute, sett.Public, p.serveStatic, "The style of all pages, and the script of those with passkeys."),

		page(get, "/login", "loginPage", sett.Public, p.loginPage, "Sign in with address and password."),
		page(post, "/login", "login", sett.Public, p.login, "Sign in."),
		page(get, "/login/2fa", "loginCodePage", sett.Public, p.loginCodePage, "Show the second factor."),
		page(post, "/login/2fa", "loginCode", sett.Public, p.loginCode, "Sign in with the second factor."),
		page(get, "/login/passkey", "passkeyLoginPage", sett.Public, p.passkeyLoginPage, "Sign in with a passkey."),
		page(post, "/login/passkey/options", "askForPasskey", sett.Public, p.askForPasskey, "What the page's script asks the device for."),
		page(post, "/login/passkey", "passkeyLogin", sett.Public, p.passkeyLogin, "Sign in with the passkey that the device has shown."),
		page(post, "/auth/oidc", "beginOIDC", sett.Public, p.beginOIDC, "Go to the issuer to sign in."),
		page(get, auth.OIDCCallback, "oidcCallback", sett.Public, p.oidcCallback, "Where the issuer leads back."),
		page(get, "/auth/oidc/connect", "oidcConnectPage", sett.SignedIn, p.oidcConnectPage, "Say that an identity is yours."),
		page(post, "/auth/oidc/connect", "connectOIDC", sett.SignedIn, p.connectOIDC, "Connect the identity."),
		page(post, "/logout", "logout", sett.SignedIn, p.logout, "Sign out."),
		page(get, "/forgot", "forgotPage", sett.Public, p.forgotPage, "Ask for a new password."),
		page(post, "/forgot", "forgot", sett.Public, p.forgot, "Send the mail."),
		page(get, "/reset/{token}", "resetPage", sett.Public, p.resetPage, "Choose a new password."),
		page(post, "/reset/{token}", "reset", sett.Public, p.reset, "Set the new password."),
		page(get, "/invitations/{token}", "invitationPage", sett.Public, p.invitationPage, "Who invites to what."),
		page(post, "/invitations/{token}", "acceptInvitation", sett.Public, p.acceptInvitation, "Join."),

		page(get, "/unsubscribe/{token}", "unsubscribePage", sett.Public, p.unsubscribePage, "Which mails a link ends."),
		page(post, "/unsubscribe/{token}", unsubscribeRoute, sett.Public, p.unsubscribe, "End them; also by one click in a mail program."),

		page(get, "/me/alerts", "alertsPage", sett.SignedIn, p.alertsPage, "Mails about projects."),
		page(get, "/me/alerts/{project_id}", "alertFormPage", sett.SignedIn, p.alertFormPage, "Choose mails about a project."),
		page(post, "/me/alerts/{project_id}", "changeAlerts", sett.SignedIn, p.changeAlerts, "Save what was chosen."),
		page(get, "/me/security", "securityPage", sett.SignedIn, p.securityPage, "Password and second factor."),
		page(post, "/me/security/password", "changePassword", sett.SignedIn, p.changePassword, "Set another password."),
		page(post, "/me/security/totp", "proposeFactor", sett.SignedIn, p.proposeFactor, "Begin to set up the second factor."),
		page(get, "/me/security/totp", "factorPage", sett.SignedIn, p.factorPage, "What an app for codes needs to know."),
		page(post, "/me/security/totp/confirm", "confirmFactor", sett.SignedIn, p.confirmFactor, "Turn the second factor on."),
		page(post, "/me/security/totp/off", "dropFactor", sett.SignedIn, p.dropFactor, "Turn the second factor off."),
		page(post, "/me/security/recovery_codes", "renewCodes", sett.SignedIn, p.renewCodes, "Make other recovery codes."),
		page(get, "/me/security/passkeys", "passkeyPage", sett.SignedIn, p.passkeyPage, "Make a passkey."),
		page(post, "/me/security/passkeys/options", "proposePasskey", sett.SignedIn, p.proposePasskey, "What the page's script asks the device for."),
		page(post, "/me/security/passkeys", "addPasskey", sett.SignedIn, p.addPasskey, "Add the passkey that the device has made."),
		page(post, "/me/security/passkeys/{passkey_id}/remove", "removePasskey", sett.SignedIn, p.removePasskey, "Remove a passkey."),
		page(get, "/me/sessions", "sessionsPage", sett.SignedIn, p.sessionsPage, "Browsers that are signed in."),
		page(post, "/me/sessions/others/end", "endOtherSessions", sett.SignedIn, p.endOtherSessions, "Sign out everywhere else."),
		page(post, "/me/sessions/{session_id}/end", "endSession", sett.SignedIn, p.endSession, "Sign out of one browser."),
		page(get, "/me/tokens", "tokensPage", sett.SignedIn, p.tokensPage, "Personal tokens."),
		page(post, "/me/tokens", "makeToken", sett.SignedIn, p.makeToken, "Make a token."),
		page(post, "/me/tokens/{token_id}/revoke", "revokeToken", sett.SignedIn, p.revokeToken, "Revoke a token."),
	}
}

func page(method, path, name string, permission sett.Permission, handle serve.Handler, doc string) serve.Route {
	return serve.Route{
		Method: method, Path: path, Name: name, Tag: "Pages", Permission: permission, Media: "text/html", Doc: doc, Handle: handle,
	}
}
