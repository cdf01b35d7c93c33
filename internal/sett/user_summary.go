package sett

// UserSummary is a user with everything that they belong to, as those see it who run the server.
type UserSummary struct {
	Person
	SecondFactor bool          // they show one beside their password
	Accounts     []UserAccount // in the order of their ids
}

// UserAccount is an account that a user belongs to, and what they are in it.
type UserAccount struct {
	ID   string
	Name string
	Role Role
}
