package app_test

import "strings"

// bothWaysOfIssues describes the webhooks of issue trackers.
var bothWaysOfIssues = strings.ReplaceAll(`
## Issues both ways

Channels of GitHub, GitLab, Jira and Linear can follow their tracker. An issue that is closed there resolves its error in sett, and one that is
reopened reopens it. The history of the error says which issue it was, and who did it there. For this, the tracker sends a webhook to sett.
The page of the channel has its address, its secret and these steps; the API has the address as ´webhook_url´, and takes the secret as the option
´webhook_secret´.

| tracker | steps |
|---|---|
| GitHub | In the settings of the repository, open **Webhooks** and add one. Enter the address and the secret, and choose the content type ´application/json´. Select the events **Issues** and, for comments, **Issue comments**. |
| GitLab | In the settings of the project, open **Webhooks** and add one. Enter the address, and the secret as **Secret token**. Select **Issues events** and, for comments, **Comments**. |
| Jira Cloud | As an administrator, open **System**, **WebHooks** and create one. Enter the address and the secret. Select **Issue: updated** and, for comments, **Comment: created**. |
| Jira Data Center | The same, if it has a field for a secret. If not, add ´?token=´ and the secret to the address. The secret may then be in logs of proxies. |
| Linear | As an administrator, open **Settings**, **API** and create a webhook with the address. Select **Issues** and, for comments, **Comments**. Linear makes the secret itself: enter its signing secret as the option ´webhook_secret´. |

A channel that was added before sett 0.11 gets a secret when you save it. To replace a secret, enter another one, or send null through the API.

- **Every way to close an issue resolves the error**, also *not planned*, *duplicate* and *canceled*: people who look at the issue see that nothing more
  will be done. The history names the way. If the error occurs again, it reopens, as always.
- **The other direction** needs the events ´resolved´ and ´unresolved´ of the channel. Without them, sett changes no issue by itself.
- **Nothing goes in circles.** sett remembers the last state of each issue. A webhook about a state that sett itself has set is no news. What a tracker
  said is not sent back to it, but it is sent to the other channels, also to a second tracker.
- **The newer one wins**, by the clock of the tracker. Deliveries that come late or again change nothing. A change within the same second as one
  by sett does not count.
- If an error was merged into another, its issue counts for that one, unless that has its own issue in the same channel.
- A channel that is off follows nothing. Issues without a link to an error are ignored.

**Comments** are off until the channel has the event ´commented´. Then comments that people write in sett are added to the issue, with the name of their
author and up to 1,000 characters. Comments on the issue are added to the history of the error, as plain text with the name of the author and the
issue. They mention no one, and an error takes up to 500 of them. Later edits and deletions are not followed, internal notes of GitLab are
left out, and feedback of an application's users stays in sett.
`, "´", "`")
