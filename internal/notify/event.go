package notify

import (
	"sett/internal/sett/alerts"
)

// event is the text of a alerts.SecurityEvent.
type event struct {
	Title    string // the subject of the mail
	Sentence string
	Page     string // path of the page where the user can undo it
}

// eventOf returns the text of an event; name is the name of the object, such as a passkey.
func eventOf(e alerts.SecurityEvent, name string) event {
	switch e {
	case alerts.PasskeyAdded:
		return event{"A passkey was added to your sett account", "The passkey “" + name + "” was added to your account. It can be used to sign in.", "/me/security"}
	case alerts.SecondFactorOn:
		return event{"A second factor was added to your sett account", "A second factor was added to your account. Signing in with your password now also requires a code.", "/me/security"}
	case alerts.SecondFactorOff:
		return event{"The second factor of your sett account was turned off", "The second factor of your account was turned off. Signing in now requires only your password.", "/me/security"}
	case alerts.TokenMade:
		return event{"A personal token was created for your sett account", "The personal token “" + name + "” was created. Anyone who has it can use the API as you.", "/me/tokens"}
	case alerts.ProgramConnected:
		return event{"A program was connected to your sett account", "The program “" + name + "” was connected to your account. It can use sett as you, as far as was allowed on the page.", "/me/tokens"}
	case alerts.CodesRenewed:
		return event{"New recovery codes were created for your sett account", "New recovery codes were created for your account. The old ones no longer work.", "/me/security"}
	case alerts.IdentityAdded:
		return event{"A single sign-on identity was connected to your sett account", "The single sign-on identity “" + name + "” was connected to your account. It can be used to sign in.", "/me/security"}
	default: // of another version of sett
		return event{"The sign-in settings of your sett account changed", "The sign-in settings of your account were changed.", "/me/security"}
	}
}
