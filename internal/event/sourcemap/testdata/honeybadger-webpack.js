(()=>{"use strict";console.log(function(e){if(!e.items.length)throw new Error("empty cart");return e.items.reduce((e,t)=>e+t.price,0)}({items:[]}))})();
//# sourceMappingURL=main.js.map