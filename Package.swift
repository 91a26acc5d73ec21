// swift-tools-version: 6.2
import PackageDescription

// Libraries are loaded on demand, so that commands which never parse or fetch start at once. Their headers come from
// Debian's -dev packages.

// Set by .ci/run: a warning in one of our targets fails the build.
let warningsAreErrors = Context.environment["JIMMY_WARNINGS_ARE_ERRORS"] != nil

let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        // Entities cross every module on their way.
        .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let hardenedC: [CSetting] = [
    .unsafeFlags(["-fstack-protector-strong", "-fstack-clash-protection", "-fcf-protection"]),
    .unsafeFlags(["-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"], .when(configuration: .release)),
]

// A released program is position-independent, all of its tables are read-only when it starts, and no other file finds
// symbols in it.
let hardened: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xclang-linker", "-pie", "-Xclang-linker", "-static-libgcc", "-Xlinker", "--no-export-dynamic",
            "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now",
            // Relocations are packed, which makes up for some of what position independence costs at each start.
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
            "-Xlinker", "-T", "-Xlinker", "\(Context.packageDirectory)/Sources/C/ReadOnly.ld",
        ], .when(configuration: .release))
]

let package = Package(
    name: "jimmy",
    products: [
        .executable(name: "jimmy", targets: ["jimmy"]),
        .executable(name: "jimmy-serve", targets: ["jimmy-serve"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The server's alone: the command links none of them.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        // C libraries, each behind one small header.
        .target(name: "CDlopen", path: "Sources/C/CDlopen"),
        .target(name: "CLibCurl", dependencies: ["CDlopen"], path: "Sources/C/CLibCurl", cSettings: hardenedC),
        .target(name: "CDecoders", dependencies: ["CDlopen"], path: "Sources/C/CDecoders", cSettings: hardenedC),
        .target(
            name: "CLibXML", dependencies: ["CDlopen"], path: "Sources/C/CLibXML",
            cSettings: hardenedC + [.unsafeFlags(["-I/usr/include/libxml2"])]
        ),
        .target(name: "CPQ", dependencies: ["CDlopen"], path: "Sources/C/CPQ", cSettings: hardenedC),
        .target(name: "CSQLite", dependencies: ["CDlopen"], path: "Sources/C/CSQLite", cSettings: hardenedC),
        .target(name: "CDigest", dependencies: ["CDlopen"], path: "Sources/C/CDigest", cSettings: hardenedC),
        .target(name: "CPassword", dependencies: ["CDlopen"], path: "Sources/C/CPassword", cSettings: hardenedC),
        .target(name: "CHostNames", dependencies: ["CDlopen"], path: "Sources/C/CHostNames", cSettings: hardenedC),
        .target(name: "CUchardet", dependencies: ["CDlopen"], path: "Sources/C/CUchardet", cSettings: hardenedC),
        .target(name: "CStemmer", dependencies: ["CDlopen"], path: "Sources/C/CStemmer", cSettings: hardenedC),
        .target(name: "CHash", path: "Sources/C/CHash"),
        .target(name: "CTokenizer", path: "Sources/C/CTokenizer", cSettings: hardenedC),
        .target(name: "CChild", path: "Sources/C/CChild", cSettings: hardenedC),
        .target(name: "CFiles", path: "Sources/C/CFiles", cSettings: hardenedC),
        .target(name: "CScan", path: "Sources/C/CScan", cSettings: hardenedC),

        // Addresses of feeds, pages and files: read, resolved, normalized.
        .target(name: "Addresses", dependencies: ["CHostNames"], swiftSettings: strict),
        // The middle: entities, rules, boundaries.
        .target(name: "Domain", dependencies: ["Addresses", "CHash"], swiftSettings: strict),
        // When podcasts are fetched again, their health, and what else is decided by facts that libraries store beside records.
        .target(name: "Scheduling", dependencies: ["Domain"], swiftSettings: strict),
        // The language of searches, what a search asks and answers, and the boundary of the index.
        .target(name: "Searching", dependencies: ["Domain"], swiftSettings: strict),
        // What use cases answer and views show.
        .target(name: "Results", dependencies: ["Domain", "Searching"], swiftSettings: strict),
        // What changed between a feed and what is stored of it.
        .target(name: "Comparing", dependencies: ["Domain"], swiftSettings: strict),
        // The order of things. Adapters cannot see it.
        .target(
            name: "UseCases", dependencies: ["Addresses", "Comparing", "Domain", "Results", "Scheduling", "Searching"],
            swiftSettings: strict),
        // The feed's JSON form (keys of `jimmy parse`), shared by what is stored and what is printed.
        .target(name: "JSON", dependencies: ["Domain", "Memory", "CScan"], swiftSettings: strict),

        // Podcasts, episodes and what else a library keeps, as JSON: both kinds of library store these forms.
        .target(name: "Records", dependencies: ["Addresses", "Domain", "JSON"], swiftSettings: strict),

        // One reading of HTML, for feeds' descriptions and for web pages.
        .target(name: "HTML", swiftSettings: strict),

        // Calls to the file system that Swift spells with pointers.
        .target(name: "FileSystem", swiftSettings: strict),

        // Raw memory behind small types.
        .target(name: "Memory", dependencies: ["Domain", "CFiles"], swiftSettings: strict),

        // A thread for actors that block.
        .target(name: "Threads", dependencies: ["Domain"], swiftSettings: strict),

        // Other programs: players, the user's commands, the server's helpers.
        .target(
            name: "Processes",
            dependencies: [
                "CChild", "Domain", "FileSystem", "JSON", "Threads",
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),

        // Adapters. None of them imports another.
        .target(
            name: "Fetching", dependencies: ["Addresses", "Domain", "Threads", "CDecoders", "CLibCurl"], swiftSettings: strict),
        // Not beside the others but between them and the servers: it records what passes, or repeats it.
        .target(
            name: "Recording", dependencies: ["Addresses", "Domain", "FileSystem", "JSON", "Records", "CDecoders", "CDigest"],
            exclude: ["FORMAT.md", "README.md"],
            swiftSettings: strict
        ),
        .target(
            name: "Parsing", dependencies: ["Addresses", "Domain", "HTML", "JSON", "Memory", "CLibXML", "CScan", "CUchardet"],
            swiftSettings: strict
        ),
        .target(
            name: "Library",
            dependencies: ["Addresses", "Domain", "FileSystem", "JSON", "Memory", "Records", "Scheduling", "Threads", "CFiles"],
            exclude: ["FORMAT.md", "README.md"],
            swiftSettings: strict
        ),
        .target(
            name: "Database", dependencies: ["Addresses", "Domain", "JSON", "Records", "Scheduling", "Threads", "CPQ"],
            exclude: ["README.md"],
            swiftSettings: strict
        ),
        .target(
            name: "Index",
            dependencies: ["Domain", "FileSystem", "HTML", "Memory", "Searching", "Threads", "CFiles", "CStemmer", "CTokenizer"],
            swiftSettings: strict
        ),
        .target(
            name: "Transcribing", dependencies: ["CFiles", "Domain", "FileSystem", "JSON", "Records"], exclude: ["README.md"],
            swiftSettings: strict
        ),
        .target(name: "Downloads", dependencies: ["Domain", "FileSystem", "CDigest"], swiftSettings: strict),
        .target(name: "Directory", dependencies: ["Addresses", "Domain", "JSON", "CDigest"], swiftSettings: strict),
        // Files of other podcast programs.
        .target(name: "Importing", dependencies: ["Addresses", "Domain", "CSQLite"], swiftSettings: strict),
        .target(
            name: "Presentation", dependencies: ["Addresses", "Domain", "HTML", "JSON", "Results", "Scheduling", "Searching"],
            swiftSettings: strict),

        // The composition root, of the command and of the server.
        .target(
            name: "Composition",
            dependencies: [
                "Addresses", "Database", "Domain", "FileSystem", "Fetching", "Parsing", "Library", "Index", "Directory",
                "Downloads",
                "Importing",
                "Presentation", "Recording", "Results", "Searching", "Threads", "Transcribing", "UseCases",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "jimmy",
            dependencies: [
                "Addresses", "CFiles", "Composition", "Domain", "Fetching", "FileSystem", "Parsing", "Presentation", "Processes",
                "Recording",
                "Results", "Searching", "Threads", "UseCases",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict,
            linkerSettings: hardened
        ),

        // The server behind `jimmy serve`, a program of its own so that the command starts as fast as it does.
        .executableTarget(
            name: "jimmy-serve",
            dependencies: [
                "Addresses", "CDecoders", "CDigest", "CPassword", "Composition", "Domain", "FileSystem", "Presentation",
                "Processes",
                "Results", "Scheduling", "Searching", "Threads",
                "UseCases",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            exclude: ["README.md"],
            resources: [.embedInCode("Resources")],
            swiftSettings: strict,
            linkerSettings: hardened
        ),

        // What the parser's benchmark times.
        .executableTarget(
            name: "parse-time", dependencies: ["Domain", "Parsing"], path: "scripts/benchmarks/parse-time", swiftSettings: strict,
            linkerSettings: hardened
        ),

        // What `scripts/bench schedule` runs: the rule of the next request, over real publication dates.
        .executableTarget(
            name: "schedule-replay", dependencies: ["Domain", "Parsing", "Scheduling"],
            path: "scripts/benchmarks/schedule-replay",
            swiftSettings: strict
        ),

        // What `scripts/simulate` runs: the rules, over all podcasts of the world.
        .executableTarget(
            name: "simulate",
            dependencies: [
                "Database", "Domain", "Presentation", "Scheduling",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "scripts/simulation", swiftSettings: strict
        ),

        // Tests, and the loopback server they and the demo share.
        .target(name: "LoopbackServer", path: "Tests/LoopbackServer", swiftSettings: strict),
        .target(name: "SeededNumbers", path: "Tests/SeededNumbers", swiftSettings: strict),
        .target(
            name: "ProgramSupport", dependencies: ["DatabaseServer", "FileSystem", "LoopbackServer"],
            path: "Tests/ProgramSupport",
            swiftSettings: strict
        ),
        // A PostgreSQL server for the tests and the demo of libraries in a database.
        .target(name: "DatabaseServer", path: "Tests/DatabaseServer", swiftSettings: strict),
        .executableTarget(
            name: "serve-fixtures", dependencies: ["LoopbackServer"], path: "Tests/ServeFixtures", swiftSettings: strict
        ),
        .executableTarget(
            name: "library-benchmark", dependencies: ["Domain", "JSON", "Library"], path: "Tests/LibraryBenchmark",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "database-benchmark", dependencies: ["Database", "Domain"], path: "Tests/DatabaseBenchmark",
            swiftSettings: strict
        ),
        // The moving parts of `scripts/bench search`, linked as jimmy is.
        .executableTarget(
            name: "search-benchmark", dependencies: ["Domain", "Index", "Searching", "Threads"], path: "Tests/SearchBenchmark",
            swiftSettings: strict,
            linkerSettings: hardened
        ),
        .testTarget(
            name: "DomainTests",
            dependencies: ["Addresses", "Comparing", "Domain", "Scheduling", "Searching", "SeededNumbers", "UseCases"],
            swiftSettings: strict),
        .testTarget(name: "SimulationTests", dependencies: ["simulate"], swiftSettings: strict),
        .testTarget(name: "MemoryTests", dependencies: ["Memory"], swiftSettings: strict),
        .testTarget(name: "HTMLTests", dependencies: ["HTML"], swiftSettings: strict),
        .testTarget(name: "JSONTests", dependencies: ["Domain", "JSON"], swiftSettings: strict),
        .testTarget(
            name: "ParsingTests", dependencies: ["CScan", "Domain", "FileSystem", "JSON", "Parsing", "Presentation"],
            swiftSettings: strict),
        .testTarget(
            name: "FetchingTests", dependencies: ["Addresses", "CDecoders", "Domain", "Fetching", "LoopbackServer"],
            swiftSettings: strict),
        .testTarget(
            name: "DirectoryTests", dependencies: ["Domain", "Directory", "Fetching", "LoopbackServer"], swiftSettings: strict
        ),
        .testTarget(
            name: "ContractTests", dependencies: ["Addresses", "Database", "DatabaseServer", "Domain", "FileSystem", "Library"],
            swiftSettings: strict),
        .testTarget(name: "RecordingTests", dependencies: ["Domain", "JSON", "Recording"], swiftSettings: strict),
        .testTarget(
            name: "LibraryTests",
            dependencies: ["Addresses", "Domain", "JSON", "Library", "Records", "Scheduling", "SeededNumbers", "Threads"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "IndexTests", dependencies: ["Domain", "FileSystem", "Index", "Memory", "Searching", "SeededNumbers"],
            swiftSettings: strict),
        .testTarget(
            name: "PresentationTests", dependencies: ["Domain", "JSON", "Presentation", "Results", "Scheduling", "Searching"],
            swiftSettings: strict),
        .testTarget(
            name: "UseCaseTests",
            dependencies: [
                "Domain", "Downloads", "Fetching", "FileSystem", "Parsing", "Library", "Index", "LoopbackServer", "Results",
                "Searching", "Transcribing",
                "UseCases",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "JimmyTests",
            dependencies: [
                "jimmy", "DatabaseServer", "Domain", "JSON", "LoopbackServer", "ProgramSupport", "SeededNumbers",
            ],
            exclude: ["Days"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ServeTests",
            dependencies: [
                "DatabaseServer", "Domain", "jimmy", "jimmy-serve", "LoopbackServer", "ProgramSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ], swiftSettings: strict
        ),
    ]
)

// JIMMY_TARGETS=DomainTests,JSONTests keeps only the named targets and what they need. `scripts/test rules` so compiles
// nothing of the server and its dependencies.
if let names = Context.environment["JIMMY_TARGETS"] {
    var wanted = Set<String>()
    var packages = Set<String>()
    var open = names.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard let target = package.targets.first(where: { $0.name == name }), wanted.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
            case .productItem(_, let name, _, _): if let name { packages.insert(name) }
            @unknown default: break
            }
        }
    }
    package.targets.removeAll { !wanted.contains($0.name) }
    package.products.removeAll { !wanted.contains($0.name) }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.hasSuffix("/" + $0) }
    }
}
