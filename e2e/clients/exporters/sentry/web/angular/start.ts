import "@angular/compiler"; // before what it compiles
import "./main";
