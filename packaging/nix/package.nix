{
  lib,
  stdenv,
  fetchurl,
  rustPlatform,
  installShellFiles,
}:

rustPlatform.buildRustPackage {
  pname = "hashlanes";
  version = "@VERSION@";

  src = fetchurl {
    url = "@DOWNLOADS@/hashlanes-v@VERSION@-source.tgz";
    hash = "@sha256-sri:hashlanes-v@VERSION@-source.tgz@";
  };

  # The digests of all dependencies are in it. It is the one of the source archive. nixpkgs prefers
  # `cargoHash`, which only nix computes.
  cargoLock.lockFile = ./Cargo.lock;
  cargoBuildFlags = [ "--package=hashlanes-cli" ];
  buildFeatures = [ "objects" "slh-dsa" "lab" ];
  cargoTestFlags = [ "--package=hashlanes-cli" ];

  nativeBuildInputs = [ installShellFiles ];

  postInstall = lib.optionalString (stdenv.buildPlatform.canExecute stdenv.hostPlatform) ''
    $out/bin/hashlanes man man
    installManPage man/*.1
    $out/bin/hashlanes install-completions --dir completions
    installShellCompletion completions/hashlanes.{bash,fish} completions/_hashlanes
  '';

  meta = {
    description = "Checksums of many files side by side, in the SIMD lanes of every core";
    homepage = "@REPOSITORY@";
    license = with lib.licenses; [
      mit
      asl20
    ];
    maintainers = with lib.maintainers; [ @HANDLE@ ];
    mainProgram = "hashlanes";
  };
}
