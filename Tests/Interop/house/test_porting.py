"""``Scripts/check-porting``: what a porting guide says of a name without a test that holds is found."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

from server import ROOT

MODULE = "public final class OTThing {\n  public init() {}\n  public var level: Int { 1 }\n}\n"
LIVE = '@Test("live") func live() async throws { try await LiveSession.run { live in print(live.id)%s } }\n'


class Porting(unittest.TestCase):
    def check(self, tests: str, row: str = "| `OTThing` | `level` | works |  |") -> str:
        """The script's findings for a module with one name, a guide with this row and these tests; nothing when all is
        well."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        files = {"docs/porting-thing.md": row + "\n", "docs/porting/thing-names.txt": "OTThing\nOTThing.level\n",
                 "Sources/Thing.swift": MODULE, "Tests/ThingTests.swift": tests}
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        done = subprocess.run([ROOT / "Scripts/check-porting", "docs/porting-thing.md", "Sources", "Tests"], cwd=folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 1 if done.stderr else 0, done.stdout)
        return done.stderr

    def test_a_row_that_works_needs_a_test_that_starts_a_server(self) -> None:
        named = '@Test("no server") func level() { #expect(OTThing().level == 1) }\n'
        self.assertEqual(self.check(LIVE % "; _ = OTThing().level"), "")
        for tests in (LIVE % "" + named, named + LIVE % "", LIVE % '; print("level") // level\n' + named):
            self.assertIn("OTThing.level is said to work, and no test", self.check(tests))
        # Helpers that the tests share are used by those that start one.
        self.assertEqual(self.check(LIVE % "" + "func look(_ thing: OTThing) -> Int { thing.level }\n" + named), "")
        # A name that differs may be shown without one.
        self.assertEqual(self.check(LIVE % "" + named, "| `OTThing` | `level` | differs | always 1 |"), "")
        self.assertIn("OTThing.level is named by no test", self.check(LIVE % ""))

    def test_what_starts_a_server_has_a_name_in_either_folder_of_tests(self) -> None:
        named = '@Test("no server") func level() { #expect(OTThing().level == 1) }\n'
        office = LIVE.replace("LiveSession.run", "Office.run")
        self.assertEqual(self.check(office % "; _ = OTThing().level"), "")
        self.assertIn("OTThing.level is said to work, and no test", self.check(office % "" + named))

    def test_a_row_that_the_module_does_not_keep_is_found(self) -> None:
        tests = LIVE % "; _ = OTThing().level"
        for row, problem in [("| `OTThing` | `level` | absent | why |", "said to be absent"), ("| `OTThing` | `level`, `depth` | works |  |", "no such public name"),
                             ("| `OTThing` | `level` | differs |  |", "does not say how"), ("| `OTThing` | `level` | added | new |", "the SDK has it")]:
            self.assertIn(problem, self.check(tests, row))

    def types(self, module: str, names: str, rows: str) -> str:
        """The script's findings for a module whose names are listed with their types."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        files = {"docs/porting-thing.md": rows, "docs/porting/thing-names.txt": names, "Sources/Thing.swift": module}
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        done = subprocess.run([ROOT / "Scripts/check-porting", "docs/porting-thing.md", "Sources"], cwd=folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 1 if done.stderr else 0, done.stdout)
        return done.stderr

    def test_what_has_other_types_than_the_sdk_is_found(self) -> None:
        module = ("public final class OTThing {\n  public var view: UIView! { nil }\n  public let isOld = false\n"
                  "  public func call(\n    of thing: (any OTOther)?, _ block: (Int) -> Void\n  ) -> [String: Int] { [:] }\n}\n")
        rows = "| `OTThing` | `view`, `isOld`, `call` | works |  |\n"
        for right, wrong in [("view  UIView!", "view  UIView?"), ("isOld  Bool", "isOld  Int"),
                             ("call(of:_:)  (OTOther?, (Int)->Void) -> [String:Int]", "call(of:_:)  (OTOther, (Int)->Void) -> [String:Int]")]:
            names = "OTThing\nOTThing.view\nOTThing.isOld\nOTThing.call(of:_:)\n"
            listed = "OTThing." + right.partition("  ")[0] + "\n"
            self.assertEqual(self.types(module, names.replace(listed, f"OTThing.{right}\n"), rows), "")
            self.assertIn(f"OTThing.{wrong.split('  ')[0]} is ", self.types(module, names.replace(listed, f"OTThing.{wrong}\n"), rows))

    def test_a_call_that_does_not_throw_as_in_the_sdk_or_gives_something_else_is_found(self) -> None:
        module = ("public final class OTThing {\n  public func start() throws { }\n  public func stop() { }\n"
                  "  public func watch(\n    _ layer: Layer?\n  ) throws -> Stream { try made() }\n}\n")
        rows = "| `OTThing` | `start`, `stop`, `watch` | works |  |\n"
        for right, *wrongs in [("start()  () throws", "start()  ()"), ("stop()  ()", "stop()  () throws"),
                               ("watch(_:)  (Layer?) throws -> Stream", "watch(_:)  (Layer?) -> Stream", "watch(_:)  (Layer?) throws", "watch(_:)  (Layer?) throws -> Stream?")]:
            names = "OTThing\nOTThing.start()\nOTThing.stop()\nOTThing.watch(_:)\n"
            listed = "OTThing." + right.partition("  ")[0]
            self.assertEqual(self.types(module, names.replace(listed + "\n", f"OTThing.{right}\n"), rows), "")
            for wrong in wrongs:
                self.assertIn(f"{listed} is ", self.types(module, names.replace(listed + "\n", f"OTThing.{wrong}\n"), rows))
        unlisted = names.replace("OTThing.stop()\n", "").replace("start()", "start()  () throws")
        self.assertIn("OTThing.stop is said to be one of the SDK's", self.types(module, unlisted, rows))

    def test_an_optional_that_is_unwrapped_by_itself_and_a_default_value_are_found(self) -> None:
        module = "open class OTThing {\n  open var view: View! { nil }\n  open func call(_ name: String? = nil) {}\n}\n"
        rows = "| `OTThing` | `view`, `call` | works |  |\n"
        names = "OTThing  open\nOTThing.view  View!\n"
        self.assertEqual(self.types(module.replace(" = nil", ""), names + "OTThing.call(_:)  (String?)\n", rows), "")
        self.assertIn("OTThing.view is View! in the module", self.types(module.replace(" = nil", ""), names.replace("!", "?") + "OTThing.call(_:)  (String?)\n", rows))
        self.assertIn("OTThing.call(_:) is (String?=) in the module", self.types(module, names + "OTThing.call(_:)  (String?)\n", rows))

    def test_a_property_that_begins_with_another_value_is_found(self) -> None:
        module = "open class OTThing {\n  open var level: Int32 = 40_000 { didSet {} }\n  open var kind = OTKind.small\n}\n"
        rows = "| `OTThing` | `level`, `kind` | works |  |\n"
        names = "OTThing  open\nOTThing.level  Int32 = 40_000\nOTThing.kind  OTKind = .small\n"
        self.assertEqual(self.types(module, names, rows), "")
        for name, wrong in [("level", ("40_000", "7")), ("kind", (".small", ".large"))]:
            self.assertIn(f"OTThing.{name} begins as", self.types(module, names.replace(*wrong), rows))

    def test_what_apps_cannot_subclass_override_or_call_is_found(self) -> None:
        module = ("open class OTThing: NSObject {\n  public init?(name: String) {}\n  open internal(set) var level = 1\n  open func call() {}\n}\n"
                  "extension OTThing {\n  func own() {}\n}\n")
        rows = "| `OTThing` | `level`, `call` | works |  |\n"
        names = "OTThing  open\nOTThing.init(name:)  (String)?\nOTThing.level\nOTThing.call()  ()\n"
        self.assertEqual(self.types(module, names, rows), "")
        for right, wrong, problem in [
                ("open class", "public final class", "OTThing is not open in the module"), ("public init", "public convenience init", "OTThing.init(name:) cannot be called by a subclass"),
                ("open internal(set) var", "public let", "OTThing.level cannot be overridden"), ("open func", "public func", "OTThing.call() cannot be overridden"),
                ("  open func call() {}\n}", "}\nextension OTThing {\n  public func call() {}\n}", "OTThing.call() cannot be overridden")]:
            self.assertIn(problem, self.types(module.replace(right, wrong), names, rows))
        # Names of old versions alone need not, nor those that Swift makes of class methods.
        old = module.replace("open func", "public func").replace("public init", "public convenience init")
        convenient = names.replace("call()  ()", "call()  ()  old").replace("(String)?", "(String)?  convenience")
        # A class with convenience initialisers alone inherits that of NSObject.
        self.assertIn("OTThing.init() makes an object in the module", self.types(old, convenient, rows))
        self.assertEqual(self.types(old, convenient + "OTThing.init()  ()\n", rows), "")
        self.assertIn("nothing of these labels", self.types(module.replace("  public init?(name: String) {}\n", ""), names, rows))

    def test_an_initialiser_that_gives_nil_or_not_otherwise_than_in_the_sdk_is_found(self) -> None:
        module = "open class OTThing {\n  public init?(name: String) {}\n  public init() {}\n  open var level = 1\n}\n"
        rows = "| `OTThing` | `level` | works |  |\n"
        names = "OTThing  open\nOTThing.level\nOTThing.init(name:)  (String)?\nOTThing.init()  ()\n"
        self.assertEqual(self.types(module, names, rows), "")
        for right, wrong, problem in [("init?(name", "init(name", "OTThing.init(name:) is (String) in"), ("init()", "init?()", "OTThing.init() is ()? in")]:
            self.assertIn(problem, self.types(module.replace(right, wrong), names, rows))

    def test_an_overload_of_other_types_does_not_stand_for_the_one_of_the_sdk(self) -> None:
        module = ("open class OTThing {\n  public init(of kind: OTKind) {}\n  public init(of kind: OTOther) {}\n"
                  "  open func call(_ name: String) {}\n  open func call(_ name: String?) {}\n}\n")
        names = "OTThing  open\nOTThing.init(of:)  (OTKind)\nOTThing.call(_:)  (String)\n"
        rows = "| `OTThing` | `call` | works |  |\n"
        self.assertEqual(self.types(module, names, rows), "")
        for right, wrong, problem in [("public init(of kind: OTKind)", "public convenience init(of kind: OTKind)", "init(of:) cannot be called by a subclass"),
                                      ("open func call(_ name: String)", "public func call(_ name: String)", "call(_:) cannot be overridden")]:
            self.assertIn(problem, self.types(module.replace(right, wrong), names, rows))

    def test_a_protocol_asks_for_the_types_of_the_sdk_and_a_default_has_them(self) -> None:
        module = ("public protocol OTDelegate: AnyObject {\n  func thing(_ thing: OTThing, didStart time: Int)\n}\n"
                  "extension OTDelegate {\n  public func thing(_ thing: OTThing, didStart time: Int) {}\n}\n"
                  "func tell(_ delegate: OTDelegate) { delegate.thing(thing, didStart: 1) }\n")
        names = "OTDelegate  protocol\nOTDelegate.thing(_:didStart:)  (OTThing, Int)\n"
        rows = "| `OTDelegate` | `thing` | works |  |\n"
        self.assertEqual(self.types(module, names, rows), "")
        body, default = module.split("extension")
        self.assertIn("is (OTThing?, Int) in the module", self.types(body.replace("OTThing,", "OTThing?,") + "extension" + default, names, rows))
        self.assertIn("has a default for (OTThing, Int?)", self.types(body + "extension" + default.replace("time: Int", "time: Int?"), names, rows))

    def test_enumerations_of_other_numbers_and_constants_of_other_types_are_found(self) -> None:
        module = 'public let OTDomain = "OTDomain"\npublic enum OTState: Int32, Sendable {\n  case idle = 0\n  case gone = 0x2307_001A\n  case none = 0x2307_001B\n}\n'
        rows = "| `OTState` | `idle`, `gone`, `none` | works |  |\n| `Global names` | `OTDomain` | works |  |\n"
        names = "OTDomain  String\nOTState  Int32\nOTState.idle  0\nOTState.gone  0x2307001a\nOTState.none  0x2307001b\n"
        self.assertEqual(self.types(module, names, rows), "")
        for right, wrong in [("OTDomain  String", "OTDomain  Int"), ("OTState  Int32", "OTState  Int"), ("OTState.idle  0", "OTState.idle  1"),
                             ("OTState.gone  0x2307001a", "OTState.gone  0x2307001b"), ("OTState.none  0x2307001b", "OTState.none  3")]:
            self.assertIn(wrong.partition("  ")[0] + " is ", self.types(module, names.replace(right, wrong), rows))
        self.assertIn("OTState.none is listed without its number", self.types(module, names.replace("  0x2307001b", ""), rows))
        self.assertIn("OTState is without a type", self.types(module.replace(": Int32, Sendable", ""), names, rows))

    def test_a_delegates_method_that_is_told_wrongly_to_be_called_or_not_is_found(self) -> None:
        protocol = "public protocol OTDelegate: AnyObject {\n  func session(_ session: OTThing, didStart time: Int)\n  func thingDidEnd(_ thing: OTThing)\n}\n"
        names = "OTDelegate\nOTDelegate.session(_:didStart:)\nOTDelegate.thingDidEnd(_:)\n"
        called = protocol + "func tell(_ delegate: OTDelegate) { delegate.thingDidEnd(thing) }\n"
        rows = "| `OTDelegate` | `didStart` | differs | never called |\n| `OTDelegate` | `thingDidEnd` | works |  |\n"
        self.assertEqual(self.types(called, names, rows), "")
        self.assertIn("the module calls it nowhere", self.types(protocol, names, rows))
        self.assertIn("and the module calls it", self.types(called, names, rows.replace("works |  |", "differs | never called |")))

    def test_what_an_example_app_could_not_name_in_the_sdk_is_found(self) -> None:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        module = MODULE.replace("public var level", "public init(own: Int) {}\n  public func hide(slowly: Bool) {}\n  public var extra: Int { 2 }\n  public var level")
        rows = "| `OTThing` | `level` | works |  |\n| `OTThing` | `extra`, `hide` | added | new |\n"
        files = {"docs/porting-opentok.md": rows, "docs/porting/opentok-names.txt": "OTThing\nOTThing.level\nOTThing.init()\n",
                 "Sources/DropIn/OpenTok/Thing.swift": module, "Sources/Client/Parley/Meeting.swift": "public final class Meeting {\n}\n",
                 "Tests/ThingTests.swift": LIVE % "; _ = OTThing().level"}
        for app, problem in [("let thing = OTThing()\nprint(thing.level)", ""), ("print(OTThing().extra)", "OTThing.extra"), ("_ = OTThing(own: 1)", "OTThing.init(own:)"),
                             ("OTThing().hide(slowly: true)", "OTThing.hide(slowly:)"), ("let meeting: Meeting? = nil", "names Meeting"),
                             ('ParleyServer.url = "http://x" // Meeting', ""), ("struct Meeting {}", "")]:
            for name, text in (files | {"Examples/OpenTokHello/main.swift": app + "\n"}).items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
            done = subprocess.run([ROOT / "Scripts/check-porting", "docs/porting-opentok.md", "Sources/DropIn/OpenTok", "Tests"], cwd=folder, text=True, capture_output=True)
            self.assertEqual(done.returncode, 1 if problem else 0, (app, done.stderr))
            self.assertIn(problem, done.stderr)


if __name__ == "__main__":
    unittest.main()
