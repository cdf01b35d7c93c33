"""Makes a project with a team, and prints its DSN and a token that sees everything."""
from bsmain.models import AuthToken
from projects.models import Project
from teams.models import Team

shop = Project.objects.create(name="Shop", slug="shop", team=Team.objects.create(name="Sales"))
print("made", shop.dsn, AuthToken.create_full_access().token)
