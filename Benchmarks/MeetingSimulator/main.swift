import Basics
import Foundation
import SFU

if CommandLine.arguments.contains("--help") || CommandLine.arguments.contains("-h") {
  print(SimulationSettings.usage)
  exit(0)
}
var settings = SimulationSettings()
if let problem = settings.apply(Array(CommandLine.arguments.dropFirst())) {
  FileHandle.standardError.write(Data("meeting-simulator: \(problem)\n".utf8))
  exit(1)
}

func milliseconds(_ span: TimeSpan) -> Double { Double(span.microseconds) / 1_000 }

/// Somebody who joins is in when the signalling and the handshake are through: ten round trips of 20 ms.
let joinTime = TimeSpan.milliseconds(200)

func simulate(_ settings: SimulationSettings) throws {
  let started = ContinuousClock.now
  let cluster = SimulatedCluster(settings)
  cluster.makeParticipants()
  try cluster.run(for: .milliseconds(50))
  let people = cluster.participants
  say(
    "## \(settings.participants) participants, \(settings.machines) machines × \(settings.workers) workers, "
      + "\(settings.topology.rawValue)\n")
  say(
    "\(settings.videos) cameras that everybody watches, \(settings.microphones) open microphones of which up to "
      + "\(settings.talkers) talk, the \(settings.audioLoudest) loudest forwarded, one packet in \(settings.lossInterval) lost, "
      + "seed \(settings.seed).")

  // Those who send are there first; the others come in 30 seconds.
  let senders = max(settings.videos, settings.microphones)
  for person in people.prefix(senders) { try cluster.join(person) }
  try cluster.run(for: .seconds(2))
  cluster.reset()
  let before = cluster.keyframes
  let storm = Array(people.dropFirst(senders))
  let joins = storm.map { _ in Int64.random(in: 0..<30_000, using: &cluster.random) }.sorted()
  let start = cluster.now
  for (person, at) in zip(storm, joins) {
    cluster.plan(start + .milliseconds(at) + joinTime) { try cluster.join(person) }
  }
  cluster.planTalk(for: .seconds(34 + Int64(settings.steadySeconds)))
  try cluster.run(for: .seconds(32))
  SimulationReport.print("\(storm.count) joins in 30 s", cluster, seconds: 32)
  let stormKeyframes = cluster.keyframes
  let pictures = storm.compactMap { person in person.pictureAt.map { milliseconds($0 - person.joinedAt) } }
  say("\n| from connected to every picture, ms | got it | p50 | p90 | p99 | longest |\n|---|---|---|---|---|---|")
  SimulationReport.printDelays("joining", pictures, of: storm.count)
  let perCamera = Double(max(settings.videos, 1)) * 32
  say(
    "\nKeyframes a camera sent: \(SimulationReport.format(Double(stormKeyframes.sent - before.sent) / perCamera, 2)) a second "
      + "(asked \(SimulationReport.format(Double(stormKeyframes.requests - before.requests) / perCamera, 2)) times a second) for "
      + "\(SimulationReport.format(Double(storm.count) / 30)) joins a second.")

  cluster.reset()
  try cluster.run(for: .seconds(Int64(settings.steadySeconds)))
  SimulationReport.print("Steady", cluster, seconds: Double(settings.steadySeconds))
  try loseWorker(cluster)
  say(
    "\n\(SimulationReport.format(milliseconds(cluster.now - start) / 1_000)) s of virtual time in "
      + "\((ContinuousClock.now - started).components.seconds) s.")
}

/// A worker with a camera stops; its participants notice by their signalling socket and join elsewhere.
func loseWorker(_ cluster: SimulatedCluster) throws {
  guard cluster.workers.count > 1 else { return }
  let victim = cluster.workers[min(1, cluster.workers.count - 1)]
  cluster.reset()
  cluster.planTalk(for: .seconds(4))
  let before = cluster.keyframes
  let lostAt = cluster.now
  let orphans = cluster.lose(victim, noticed: .milliseconds(1_000))
  let cameras = Set(orphans.flatMap(\.sources).filter { $0.kind == .video }.map(\.publication))
  for person in orphans {
    // A new socket after 0.2 to 2 s, then as any join.
    let pause = TimeSpan.milliseconds(Int64.random(in: 200...2_000, using: &cluster.random))
    cluster.plan(lostAt + pause + joinTime) { try cluster.join(person) }
  }
  // The others' slots of a camera that was lost are empty when the worker is noticed to be gone; signalling fills them
  // again when the camera is back.
  let others = cluster.participants.filter { person in !orphans.contains { $0 === person } }
  for person in orphans where person.sources.contains(where: { $0.kind == .video }) {
    for source in person.sources where source.kind == .video { watchAgain(source.publication, others, cluster) }
  }
  try cluster.run(for: .seconds(4))
  SimulationReport.print("A worker of \(orphans.count) participants lost, the 4 s after", cluster, seconds: 4)
  let back = orphans.compactMap { person in person.pictureAt.map { milliseconds($0 - lostAt) } }
  say("\n| ms after the loss | got it | p50 | p90 | p99 | longest |\n|---|---|---|---|---|---|")
  SimulationReport.printDelays("its participants see every picture again", back, of: orphans.count)
  let viewers = others.filter { !$0.sources.contains { $0.kind == .video } }
  let seen = viewers.compactMap { person in person.pictureAt.flatMap { $0 > lostAt ? milliseconds($0 - lostAt) : nil } }
  if !cameras.isEmpty {
    SimulationReport.printDelays(
      "others see the \(cameras.count) camera(s) that were on it again", seen, of: viewers.count)
  }
  let after = cluster.keyframes
  say(
    "\nKeyframes: \(after.sent - before.sent) sent, \(after.requests - before.requests) asked for. Participants of other "
      + "workers kept their connections, and everything that did not come from the lost worker.")
}

/// The slots of `people` carry `publication` again as soon as it is back.
func watchAgain(_ publication: String, _ people: [SimulatedParticipant], _ cluster: SimulatedCluster) {
  let id = PublicationID(rawValue: publication)
  let number = UInt64(publication.dropFirst()) ?? 0
  cluster.plan(cluster.now + .milliseconds(1_001)) {
    for person in people {
      guard let member = person.member else { continue }
      for slot in member.egress.subscriptions where slot.media.mid.rawValue == publication {
        person.seen &= ~(1 << number)
        person.missingPictures += 1
        if let known = person.worker.router.publication(id) {
          person.worker.router.attach(known, to: slot)
        } else {
          _ = person.worker.router.attachWhenAnnounced(id, to: slot)
        }
      }
    }
  }
}

do {
  try simulate(settings)
} catch {
  FileHandle.standardError.write(Data("meeting-simulator: \(error)\n".utf8))
  exit(1)
}
