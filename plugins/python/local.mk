# The Python module gpuintra, with gpuintra_adapters beside it. make collects both in stage/, a
# folder for PYTHONPATH and the source of the wheel; `make wheel` builds that, without network. The
# library is inside the module, which therefore depends on no shared library of this tree.
pymoduledir = $(pythondir)/gpuintra
python_sources = %D%/gpuintra/__init__.py %D%/gpuintra/_arrays.py %D%/gpuintra/_cameras.py \
	%D%/gpuintra/_clip.py \
	%D%/gpuintra/_encode.py %D%/gpuintra/_files.py %D%/gpuintra/_fragments.py \
	%D%/gpuintra/_input.py \
	%D%/gpuintra/_layout.py %D%/gpuintra/_options.py %D%/gpuintra/_order.py \
	%D%/gpuintra/_packets.py %D%/gpuintra/_session.py %D%/gpuintra/_sinks.py \
	%D%/gpuintra/_sound.py %D%/gpuintra/_times.py %D%/gpuintra/_writer.py \
	%D%/gpuintra/__init__.pyi %D%/gpuintra/_gpuintra.pyi %D%/gpuintra/py.typed
pyadaptersdir = $(pythondir)/gpuintra_adapters
python_adapters = %D%/gpuintra_adapters/__init__.py %D%/gpuintra_adapters/diffusers.py \
	%D%/gpuintra_adapters/imageio.py %D%/gpuintra_adapters/lerobot.py \
	%D%/gpuintra_adapters/moviepy.py %D%/gpuintra_adapters/torchcodec.py
EXTRA_DIST += $(python_sources) $(python_adapters) %D%/gpuintra.map %D%/setup.py \
	%D%/wheel.py %D%/README.md

if HAVE_PYTHON
noinst_LIBRARIES += %D%/libgpuintra_python.a
%C%_libgpuintra_python_a_SOURCES = %D%/src/dlpack.c %D%/src/encoder.c %D%/src/module.c \
	%D%/src/module.h %D%/src/mp4.c %D%/src/options.c %D%/src/options.h %D%/src/sound.c
%C%_libgpuintra_python_a_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CPPFLAGS)

python_stage = %D%/stage/gpuintra
python_extension = $(python_stage)/_gpuintra.abi3.so
python_link_flags = -Wl,-Bsymbolic-functions -Wl,--as-needed $(HARDEN_LDFLAGS)
$(python_extension): %D%/libgpuintra_python.a h264intra/libh264intra.a libsched/libsched.a \
		%D%/gpuintra.map
	@$(MKDIR_P) $(python_stage)
	$(AM_V_CCLD)$(CC) -shared $(AM_CFLAGS) $(CFLAGS) $(python_link_flags) $(LDFLAGS) -o $@ \
		-Wl,--version-script=$(filter %.map,$^) -Wl,--whole-archive $< \
		-Wl,--no-whole-archive h264intra/libh264intra.a libsched/libsched.a \
		$(CUDA_LIBS) $(LIBS)

$(python_stage)/copied: $(python_sources) $(python_adapters) %D%/setup.py %D%/README.md \
		%D%/pyproject.toml LICENSE
	@$(MKDIR_P) $(python_stage) $(python_stage)_adapters
	$(AM_V_GEN)for file in $^; do \
		test -e "$$file" || file=$(srcdir)/$$file; \
		case $$file in \
		*/gpuintra/*) to=$(python_stage) ;; \
		*/gpuintra_adapters/*) to=$(python_stage)_adapters ;; \
		*) to=%D%/stage ;; \
		esac; \
		cp "$$file" $$to/ && chmod u+w $$to/`basename "$$file"` || exit 1; \
	done && touch $@

# Files in DATA are made by `make all`.
noinst_DATA = $(python_stage)/copied
dist_pymodule_DATA = $(python_sources)
dist_pyadapters_DATA = $(python_adapters)
nodist_pymodule_DATA = $(python_extension)
endif

# Both go to the folder dist. wheel.py refuses a wheel that systems of the tag cannot load.
.PHONY: wheel python-sdist clean-python
WHEEL_PLATFORM =
wheel_nvcc =
if HAVE_CUDA
wheel_nvcc += --nvcc '$(NVCC)'
endif
wheel: $(python_extension) $(python_stage)/copied
	rm -f %D%/dist/*.whl
	$(PYTHON) $(srcdir)/%D%/wheel.py wheel %D%/stage %D%/dist $(wheel_nvcc) \
		$(WHEEL_PLATFORM:%=--platform %)
python-sdist: %D%/pyproject.toml
	$(MAKE) $(AM_MAKEFLAGS) distdir distdir=%D%/sdist
	$(PYTHON) $(srcdir)/%D%/wheel.py sdist %D%/sdist %D%/dist --pyproject %D%/pyproject.toml
	rm -rf %D%/sdist
clean-local: clean-python
clean-python:
	rm -rf %D%/stage %D%/dist %D%/sdist
