package notify

import "sett/internal/sett"

// event is a sett.SecurityEvent in words.
type event struct {
	Title    string // the subject of the mail
	Sentence string
	Page     string // path of the page where it is undone
}

// eventOf puts an event into words; name is what it is about.
func eventOf(e sett.SecurityEvent, name string) event {
	switch e {
	case sett.PasskeyAdded:
		return event{"A passkey was added to your user of sett", "The passkey “" + name + "” was added to your user. Whoever has it can sign in with it.", "/me/security"}
	case sett.SecondFactorOn:
		return event{"A second factor was added to your user of sett", "A second factor was added to your user. Signing in with your password asks for its codes too.", "/me/security"}
	case sett.SecondFactorOff:
		return event{"The second factor of your user of sett was turned off", "The second factor of your user was turned off. Your password alone is enough to sign in.", "/me/security"}
	case sett.TokenMade:
		return event{"A personal token of your user of sett was made", "The personal token “" + name + "” was made. Whoever has it can act as your user.", "/me/tokens"}
	case sett.CodesRenewed:
		return event{"New recovery codes were made for your user of sett", "New recovery codes were made for your user. The old ones no longer work.", "/me/security"}
	case sett.IdentityAdded:
		return event{"An identity was connected to your user of sett", "The identity “" + name + "” of your single sign-on was connected to your user. It can be used to sign in.", "/me/security"}
	default: // of another version of sett
		return event{"Something about your user of sett has changed", "How your user signs in was changed.", "/me/security"}
	}
}
