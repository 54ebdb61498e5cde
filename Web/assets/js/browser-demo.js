// The demo page of the OpenTok script, written the way pages of its first version were: TB, events with lists, elements
// that are replaced.
(function () {
  const at = (id) => document.getElementById(id);
  let session = null;
  let publisher = null;
  // `?apiKey=…&sessionId=…&token=…&name=…`; without a session, what a server in development mode gives.
  const given = new URLSearchParams(location.search);
  // A page that was opened from a file is of no server: `?server=…` says which one it means.
  const server = location.protocol === "file:" ? given.get("server") || "http://localhost:8080" : location.origin;

  function say(text) { at("status").textContent = text; }

  function show(...names) {
    for (const name of ["connectLink", "disconnectLink", "publishLink", "unpublishLink"]) { at(name).hidden = !names.includes(name); }
    at("settings").hidden = !names.includes("connectLink");
  }

  /** A place for a picture, which the library replaces. */
  function place(parent, name) {
    const element = document.createElement("div");
    element.id = name;
    at(parent).append(element);
    return element.id;
  }

  function connect(event) {
    event.preventDefault();
    session = TB.initSession(at("sessionId").value.trim());
    window.session = session;
    session.addEventListener("sessionConnected", (connected) => {
      // The SDK's own meeting, to look into from the console.
      window.parley = session._meeting;
      show("disconnectLink", "publishLink");
      say("Connected.");
      subscribe(connected.streams);
    });
    session.addEventListener("streamCreated", (created) => subscribe(created.streams));
    session.addEventListener("sessionWaiting", (waiting) => say(waiting.reason === "lobby" ? "Waiting to be let in …" : "Waiting for the meeting to begin …"));
    session.addEventListener("sessionDisconnected", (gone) => {
      publisher = null;
      show("connectLink");
      say(gone.reason === "forceDisconnected" ? "You were disconnected by a moderator." : "Not connected.");
    });
    say("Connecting …");
    session.connect(at("apiKey").value.trim(), at("token").value.trim());
  }

  function subscribe(streams) {
    for (const stream of streams) {
      // One's own stream has an event, too.
      if (stream.connection.connectionId === session.connection.connectionId) { continue; }
      session.subscribe(stream, place("subscribers", `subscriber-${stream.streamId}`));
    }
  }

  function publish() {
    publisher = session.publish(place("myCamera", "publisher"), { name: given.get("name") || "Browser" });
    window.publisher = publisher;
    show("disconnectLink", "unpublishLink");
  }

  function unpublish() {
    if (publisher) { session.unpublish(publisher); }
    publisher = null;
    show("disconnectLink", "publishLink");
  }

  /** The page's own work, once `OT` and `TB` are there. */
  function begin() {
    at("settings").addEventListener("submit", connect);
    at("disconnectLink").addEventListener("click", () => session.disconnect());
    at("publishLink").addEventListener("click", publish);
    at("unpublishLink").addEventListener("click", unpublish);
    TB.addEventListener("exception", (event) => {
      say(`${event.message} (${event.code})`);
      if (!session?.isConnected()) { show("connectLink"); } else if (!publisher?.stream) { publisher = null; show("disconnectLink", "publishLink"); }
    });

    for (const name of ["apiKey", "sessionId", "token"]) { at(name).value = given.get(name) ?? ""; }
    if (!given.has("sessionId")) {
      fetch(`${server}/session`)
        .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error("not in development"))))
        .then((sample) => { for (const name of ["apiKey", "sessionId", "token"]) { at(name).value = sample[name]; } })
        .catch(() => say("Enter the API key, a session ID and a token. A server that runs with --development fills them in."));
    }
  }

  const library = document.createElement("script");
  library.src = `${server}/opentok.js`;
  library.addEventListener("load", begin);
  library.addEventListener("error", () => {
    at("connectLink").disabled = true;
    say(`No server answers at ${server}. Start one there, or open this page with ?server= and the address of another.`);
  });
  document.head.append(library);
})();
